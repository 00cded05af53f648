// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb {

/// How much a reader says of exported symbols: counting costs a few pages, names may cost
/// megabytes.
enum class ExportDetail : std::uint8_t { count, names };

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb {

/// How much a reader says of exported symbols: counting costs a pass over the symbol table, names
/// may cost megabytes.
enum class ExportDetail : std::uint8_t { none, count, names };

}  // namespace plumb

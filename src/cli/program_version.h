// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace plumb {

/// "0.1.0"
[[nodiscard]] std::string_view program_version();

}  // namespace plumb

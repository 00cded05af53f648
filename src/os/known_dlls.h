// SPDX-License-Identifier: Apache-2.0
#pragma once
// DLLs that Windows takes from System32 wherever a program looks for them. known_dlls_posix.cc /
// known_dlls_win32.cc.

#include <string>
#include <vector>

namespace plumb {

/// Base names as the registry lists them; empty on Linux.
[[nodiscard]] std::vector<std::string> known_dlls();

}  // namespace plumb

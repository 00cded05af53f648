// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who runs plumb and where, for leaving out of what is shared. identity_posix.cc /
// identity_win32.cc.

#include <string>

namespace plumb {

[[nodiscard]] std::string user_name();  // "" if unknown
[[nodiscard]] std::string host_name();

}  // namespace plumb

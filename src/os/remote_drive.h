// SPDX-License-Identifier: Apache-2.0
#pragma once
// remote_drive_posix.cc / remote_drive_win32.cc.

#include <string>

namespace plumb {

/// Windows: true if `path` begins with a drive letter that stands for a network share, or for
/// nothing. Asks the system's own table, not the share, which may not answer for minutes. Linux:
/// false.
[[nodiscard]] bool is_remote_drive(const std::string& path);

}  // namespace plumb

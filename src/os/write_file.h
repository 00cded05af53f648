// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing whole files. write_file_posix.cc / write_file_win32.cc.

#include <string>
#include <string_view>

#include "base/result.h"

namespace plumb {

/// Puts `bytes` at `path`, in the place of a file that is there: written beside it and renamed, so
/// that at any moment the old or the new file is there, whole. Only the owner may read it. Errors:
/// not_found (the folder), no_permission, special_file (a folder or device is there), io (a full
/// disk too).
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view bytes);

}  // namespace plumb

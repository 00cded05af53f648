// SPDX-License-Identifier: Apache-2.0
#pragma once
// For the Windows halves alone.

#include <string>

#include "base/result.h"

namespace plumb {

/// The full path in the form in which the system takes it, whatever its length. Errors: not_found
/// (an empty name), special_file (a name that means a device).
[[nodiscard]] Result<std::wstring> system_path(const std::string& path);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the system's error numbers mean, in words of ours: the same in every language of the system,
// so that a pasted report can be read by anyone. system_error_posix.cc / system_error_win32.cc.

#include <cstdint>

#include "base/error.h"

namespace plumb {

/// `number` is an errno or a GetLastError(). The text ends with the number where it says more than
/// the words.
[[nodiscard]] Error system_error(std::uint32_t number);

}  // namespace plumb

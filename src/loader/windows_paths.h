// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows' paths as text, on any system. Both separators count; drives and shares are roots.

#include <string>
#include <string_view>

namespace plumb {

/// What follows the last separator (or the drive's colon).
[[nodiscard]] std::string_view windows_base_name(std::string_view path);

/// What stands before it, without the separator but for a root: "C:\\".
[[nodiscard]] std::string windows_folder_of(std::string_view path);

/// True for "C:\\x", "\\\\server\\share\\x", "\\\\?\\C:\\x"; not for "C:x" nor "\\x".
[[nodiscard]] bool is_full_windows_path(std::string_view path);

/// True if it names more than a file: a separator or a drive stands in it.
[[nodiscard]] bool has_windows_folder(std::string_view path);

[[nodiscard]] std::string join_windows_path(std::string_view folder, std::string_view name);

/// As GetFullPathNameW: made absolute from `current_folder`, "." and ".." taken out, one backslash
/// between parts, no dots or blanks at the end. A "\\\\?\\" in front is taken off.
[[nodiscard]] std::string full_windows_path(std::string_view path, std::string_view current_folder);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the process was started with. environment_posix.cc / environment_win32.cc.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// UTF-8; a variable that is set but empty is "".
[[nodiscard]] std::optional<std::string> get_environment(const std::string& name);

/// The names of all variables, in the system's order; without those of Windows that begin with '='
/// (the current folder of each drive).
[[nodiscard]] std::vector<std::string> environment_names();

/// PATH-like text split at ':' or ';' (Windows: quotes around an element are removed). Empty
/// elements stay.
[[nodiscard]] std::vector<std::string> split_path_list(std::string_view text);

/// The BCP 47-like language of the user ("zh-CN", "en-US"); LC_ALL/LC_MESSAGES/LANG or the Windows
/// UI language.
[[nodiscard]] std::string user_language();

/// "linux" or "windows": the system plumb runs on.
[[nodiscard]] std::string_view system_name();
/// "x86_64" or "aarch64": the machine plumb was built for.
[[nodiscard]] std::string_view machine_name();
/// Windows: the System32 folder. Linux: "".
[[nodiscard]] std::string system_folder();
/// The user's home folder; empty if unknown.
[[nodiscard]] std::string home_folder();
/// argv as UTF-8 (Windows: from the wide command line).
[[nodiscard]] std::vector<std::string> command_line(int argc, char** argv);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Paths that files, variables and the registry of the machine looked at name, as paths to open
// here; and which of them are better left alone.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/host.h"

namespace plumb {

/// "C:\\Python312" or "/usr/bin" of that machine as a path to open here; a mounted Windows is taken
/// for drive C:, "" is another drive or a share. A path below the host's root stays as it is.
[[nodiscard]] std::string path_on_host(const Host& host, std::string_view path);

/// A variable that names a folder or file, as a path to open here.
[[nodiscard]] std::optional<std::string> variable_path(const Host& host, const std::string& name);

/// "~", "~/x", "$HOME/x", "%USERPROFILE%\\x" and other variables; then as path_on_host().
[[nodiscard]] std::string expanded_path(const Host& host, std::string_view path);

/// True for what may not answer: \\server\share and network drives of Windows, Windows' drives seen
/// from WSL (/mnt/c).
[[nodiscard]] bool may_be_slow(const Host& host, const std::string& path);

[[nodiscard]] bool is_absolute_on(const Host& host, std::string_view path);

[[nodiscard]] std::string path_below(const std::string& folder,
                                     std::initializer_list<std::string_view> parts);

/// This folder and those above it, at most 64; none that may_be_slow() but the first.
[[nodiscard]] std::vector<std::string> folders_above(const Host& host, const std::string& folder);

/// Folders of PATH as paths to open here, without empty and relative ones.
[[nodiscard]] std::vector<std::string> path_folders(const Host& host);

}  // namespace plumb

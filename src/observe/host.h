// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine that probes look at: this one, or a system mounted in a folder. Every probe gets its
// paths and variables from here, so each can be tried on a made-up tree, and a Windows tree on
// Linux too.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "observe/registry.h"

namespace plumb {

struct Host {
  std::string system;   // "linux" or "windows": of the machine looked at
  std::string machine;  // "x86_64", "aarch64"
  std::string root;     // "" = this machine; else the folder in which the system is mounted
  /// Environment variables as on that machine.
  std::function<std::optional<std::string>(const std::string&)> variable;
  /// Names of all variables that are set; empty function = cannot be told.
  std::function<std::vector<std::string>()> variable_names;
  std::string home;
  std::string current_folder;
  std::string system_folder;  // Windows: System32
  std::shared_ptr<const Registry> registry = empty_registry();

  /// "/usr/lib" on that machine as a path to open here.
  [[nodiscard]] std::string at(std::string_view absolute) const;
  /// A variable that is set and not empty.
  [[nodiscard]] std::optional<std::string> set_variable(const std::string& name) const;
  [[nodiscard]] bool is_windows() const { return system == "windows"; }
};

[[nodiscard]] Host this_host();

/// A system mounted at `root`, Windows if it has a folder Windows/System32. No variables: those of
/// this process are not that system's. A mounted Windows' registry is what `reg export` wrote to
/// ROOT/registry.reg, if that is there.
[[nodiscard]] Host mounted_host(const std::string& root);

/// The first `limit` bytes of a file: enough for headers whose bodies may be long.
[[nodiscard]] Result<std::string> read_text_start(const std::string& path, std::uint64_t limit);

[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_file(const std::string& path);

}  // namespace plumb

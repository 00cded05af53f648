// SPDX-License-Identifier: Apache-2.0
#pragma once
// A made-up machine in a temporary folder, for tests of the probes. Everything lies below one root,
// so a Linux machine can be tried on Windows and a Windows machine on Linux.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "observe/host.h"
#include "os/file.h"
#include "support/elf_builder.h"
#include "support/fatbin_builder.h"
#include "support/pe_builder.h"
#include "support/temp_folder.h"

namespace plumb::test {

class FakeHost {
 public:
  explicit FakeHost(std::string system) {
    host_.system = std::move(system);
    host_.machine = "x86_64";
    host_.root = folder_.path();
    host_.home = folder_.path("home");
    host_.current_folder = folder_.path("work");
    host_.system_folder = folder_.path("Windows/System32");
    host_.variable = [this](const std::string& name) {
      const auto hit = variables_.find(name);
      return hit == variables_.end() ? std::optional<std::string>() : hit->second;
    };
    host_.variable_names = [this] {
      std::vector<std::string> names;
      for (const auto& [name, value] : variables_) {
        names.push_back(name);
      }
      return names;
    };
  }

  void set(const std::string& name, std::string value) { variables_[name] = std::move(value); }
  std::string write(std::string_view name, std::string_view bytes = "") const {
    return folder_.write(name, bytes);
  }
  void make_folder(std::string_view name) const {
    std::filesystem::create_directories(folder_.native(name));
  }
  [[nodiscard]] std::string path(std::string_view name) const { return folder_.path(name); }
  /// A path as read from the host: relative to the root, with '/'.
  [[nodiscard]] std::string relative(std::string_view whole) const {
    std::string text(whole.substr(std::min(folder_.path().size() + 1, whole.size())));
    for (char& c : text) {
      c = c == '\\' ? '/' : c;
    }
    return text;
  }
  [[nodiscard]] const Host& host() const { return host_; }
  [[nodiscard]] Host& host() { return host_; }

 private:
  TempFolder folder_;
  std::map<std::string, std::string> variables_;
  Host host_;
};

/// A library for Linux with one module for each of `targets`, that asks for `needed`.
inline std::string linux_library(const std::vector<std::uint32_t>& targets,
                                 const std::vector<std::string>& needed = {},
                                 const std::string& rpath = {}) {
  ElfSpec spec;
  spec.needed = needed;
  if (!rpath.empty()) {
    spec.rpath = rpath;
  }
  if (!targets.empty()) {
    std::vector<FatbinEntry> entries;
    for (const std::uint32_t target : targets) {
      CubinSpec cubin;
      cubin.sm = static_cast<std::uint16_t>(target);
      entries.push_back({.kind = 2, .arch = target, .body = build_cubin(cubin)});
    }
    spec.sections.push_back({".nv_fatbin", build_fatbin(entries)});
  }
  return build_elf(spec).bytes;
}

/// The same for Windows.
inline std::string windows_library(const std::vector<std::uint32_t>& targets,
                                   const std::vector<std::string>& imports = {}) {
  PeDescription description;
  for (const std::string& name : imports) {
    description.imports.push_back({name, {{.name = "f"}}});
  }
  if (!targets.empty()) {
    std::vector<FatbinEntry> entries;
    for (const std::uint32_t target : targets) {
      CubinSpec cubin;
      cubin.sm = static_cast<std::uint16_t>(target);
      entries.push_back({.kind = 2, .arch = target, .body = build_cubin(cubin)});
    }
    description.sections.push_back({".nv_fatb", build_fatbin(entries)});
  }
  return build_pe(description).bytes;
}

/// A DLL whose version resource says a.b.c.d.
inline std::string dll_of_version(std::vector<std::uint16_t> version) {
  PeVersion info;
  info.file = std::move(version);
  PeDescription description;
  description.resources.push_back({.type = 16, .data = build_version_info(info)});
  return build_pe(description).bytes;
}

}  // namespace plumb::test

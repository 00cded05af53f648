// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows as its registry tells it: release, settings that matter to Python and to long paths,
// protection that stops programs, and the runtime of Visual C++.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

enum class FolderAccess : std::uint8_t { off, block, audit, block_disk, audit_disk };
constexpr auto enum_names(FolderAccess) {
  return std::to_array<std::string_view>({"off", "block", "audit", "block_disk", "audit_disk"});
}

enum class AppControl : std::uint8_t { off, enforced, evaluation };
constexpr auto enum_names(AppControl) {
  return std::to_array<std::string_view>({"off", "enforced", "evaluation"});
}

/// An installed Visual C++ 2015-2026 redistributable.
struct VcRuntime {
  std::string machine;        // "x64", "x86", "arm64"
  Fact<std::string> version;  // "14.44.35211.00"
  Fact<bool> installed;
  std::string origin;  // the registry key
};

void fields(auto& visit, Is<VcRuntime> auto& x) {
  visit("machine", x.machine);
  visit("version", x.version);
  visit("installed", x.installed);
  visit("origin", x.origin);
}

/// A file of that runtime in System32.
struct VcFile {
  std::string name;           // "vcruntime140_1.dll"
  Fact<std::string> version;  // "14.44.35211.0"
};

void fields(auto& visit, Is<VcFile> auto& x) {
  visit("name", x.name);
  visit("version", x.version);
}

struct WindowsSystem {
  Fact<std::uint64_t> build;      // 26100
  Fact<std::uint64_t> revision;   // UBR: 4652
  Fact<std::string> release;      // "24H2"
  Fact<std::string> edition;      // "Professional"
  Fact<std::string> kind;         // "Client", "Server", "Server Core"
  Fact<bool> is_windows_11;       // a Client of build 22000 or later; its ProductName still says 10
  Fact<bool> long_paths;          // paths over 260 characters for programs that ask for it
  Fact<std::uint64_t> ansi_page;  // code page of the ANSI functions: 936, 65001
  Fact<std::uint64_t> oem_page;   // of consoles
  Fact<bool> developer_mode;      // symbolic links without administrator
  Fact<std::string> ui_language;  // "zh-CN"
  Fact<bool> secure_boot;
  Fact<bool> defender_real_time;  // absent = Defender says nothing, which is its usual state: on
  Fact<FolderAccess> controlled_folder_access;  // absent = off
  Fact<AppControl> smart_app_control;           // absent on Windows 10
  std::vector<VcRuntime> vc_runtimes;           // those that have a key
  std::vector<VcFile> vc_files;                 // all that are looked for
};

void fields(auto& visit, Is<WindowsSystem> auto& x) {
  visit("build", x.build);
  visit("revision", x.revision);
  visit("release", x.release);
  visit("edition", x.edition);
  visit("kind", x.kind);
  visit("is_windows_11", x.is_windows_11);
  visit("long_paths", x.long_paths);
  visit("ansi_page", x.ansi_page);
  visit("oem_page", x.oem_page);
  visit("developer_mode", x.developer_mode);
  visit("ui_language", x.ui_language);
  visit("secure_boot", x.secure_boot);
  visit("defender_real_time", x.defender_real_time);
  visit("controlled_folder_access", x.controlled_folder_access);
  visit("smart_app_control", x.smart_app_control);
  visit("vc_runtimes", x.vc_runtimes);
  visit("vc_files", x.vc_files);
}

}  // namespace plumb

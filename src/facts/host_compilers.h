// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compilers for the host's half of CUDA code, and what a toolkit accepts of them.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

enum class CompilerKind : std::uint8_t { gcc, clang, msvc };
constexpr auto enum_names(CompilerKind) {
  return std::to_array<std::string_view>({"gcc", "clang", "msvc"});
}

/// One compiler, whatever names lead to it.
struct HostCompiler {
  CompilerKind kind = CompilerKind::gcc;
  std::string path;                // links resolved: "/usr/bin/x86_64-linux-gnu-g++-12"; cl.exe's
  std::vector<std::string> names;  // "/usr/bin/g++", "/usr/bin/g++-12"
  Fact<std::string> version;   // "12", "18", "14.44.35207"; origin: the name or folder that says
  bool cxx = false;            // g++, clang++, cl: nvcc needs one
  bool first_on_path = false;  // what `g++`, `gcc`, `clang` or `cl` starts
};
void fields(auto& visit, Is<HostCompiler> auto& compiler) {
  visit("kind", compiler.kind);
  visit("path", compiler.path);
  visit("names", compiler.names);
  visit("version", compiler.version);
  visit("cxx", compiler.cxx);
  visit("first_on_path", compiler.first_on_path);
}

/// CC, CXX, CUDAHOSTCXX, NVCC_CCBIN, NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS as set.
struct CompilerVariable {
  std::string name;
  std::string value;
};
void fields(auto& visit, Is<CompilerVariable> auto& variable) {
  visit("name", variable.name);
  visit("value", variable.value);
}

/// An instance of Visual Studio or its Build Tools, as its installer wrote it down in state.json.
struct VisualStudio {
  std::string origin;                 // the state.json
  Fact<std::string> path;             // installationPath
  Fact<std::string> version;          // installationVersion: "17.14.37710.0"
  std::string product;                // "Microsoft.VisualStudio.Product.BuildTools"
  std::string channel;                // "VisualStudio.17.Release"
  bool present = false;               // the path is there: a failed installation leaves the state
  Fact<std::string> default_toolset;  // "14.44.35207"; absent = no C++ workload
  std::vector<std::string> toolsets;  // with a cl.exe; each is also in HostCompilers::compilers
};
void fields(auto& visit, Is<VisualStudio> auto& studio) {
  visit("origin", studio.origin);
  visit("path", studio.path);
  visit("version", studio.version);
  visit("product", studio.product);
  visit("channel", studio.channel);
  visit("present", studio.present);
  visit("default_toolset", studio.default_toolset);
  visit("toolsets", studio.toolsets);
}

struct WindowsSdk {
  std::string version;  // "10.0.22621.0"
  std::string root;     // "C:\\Program Files (x86)\\Windows Kits\\10\\"
  std::string origin;   // the registry key
  bool usable = false;  // its um\\windows.h is there; keys of removed ones stay
};
void fields(auto& visit, Is<WindowsSdk> auto& sdk) {
  visit("version", sdk.version);
  visit("root", sdk.root);
  visit("origin", sdk.origin);
  visit("usable", sdk.usable);
}

struct HostCompilers {
  std::vector<HostCompiler> compilers;
  std::vector<CompilerVariable> variables;
  std::vector<VisualStudio> visual_studio;
  std::vector<WindowsSdk> windows_sdks;
};
void fields(auto& visit, Is<HostCompilers> auto& all) {
  visit("compilers", all.compilers);
  visit("variables", all.variables);
  visit("visual_studio", all.visual_studio);
  visit("windows_sdks", all.windows_sdks);
}

/// What include/crt/host_config.h turns away. 0 = that limit is not in the file.
struct HostCompilerLimits {
  std::uint64_t msc_least = 0;    // _MSC_VER < this is refused
  std::uint64_t msc_below = 0;    // _MSC_VER >= this is refused
  std::uint64_t gcc_most = 0;     // __GNUC__ > this is refused
  std::uint64_t clang_below = 0;  // __clang_major__ >= this is refused
};
void fields(auto& visit, Is<HostCompilerLimits> auto& limits) {
  visit("msc_least", limits.msc_least);
  visit("msc_below", limits.msc_below);
  visit("gcc_most", limits.gcc_most);
  visit("clang_below", limits.clang_below);
}

enum class Acceptance : std::uint8_t { unknown, accepted, too_old, too_new };
constexpr auto enum_names(Acceptance) {
  return std::to_array<std::string_view>({"unknown", "accepted", "too_old", "too_new"});
}

struct HostCompilerVerdict {
  std::string compiler;  // HostCompiler::path
  Acceptance acceptance = Acceptance::unknown;
};
void fields(auto& visit, Is<HostCompilerVerdict> auto& verdict) {
  visit("compiler", verdict.compiler);
  visit("acceptance", verdict.acceptance);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/visual_studio.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "observe/json_strings.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestState = 32 << 20;
constexpr std::size_t kMostInstances = 32;
constexpr std::size_t kMostToolsets = 64;

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

void add_toolsets(CudaFiles& files, VisualStudio& studio, HostCompilers& all) {
  const std::string note =
      files.join(*studio.path.value, "VC/Auxiliary/Build/Microsoft.VCToolsVersion.default.txt");
  if (files.is_file(note)) {
    const auto text = files.text(note, 4096);
    studio.default_toolset = text ? Fact<std::string>::present(std::string(trim(*text)), note)
                                  : Fact<std::string>::unreadable(text.error(), note);
  } else {
    studio.default_toolset = Fact<std::string>::absent(note);
  }
  const std::string folder = files.join(*studio.path.value, "VC/Tools/MSVC");
  for (const DirectoryEntry& entry : files.list(folder)) {
    const std::string toolset = files.join(folder, entry.name);
    if (!starts_with_digit(entry.name) || studio.toolsets.size() >= kMostToolsets) {
      continue;
    }
    for (const char* part : {"bin/Hostx64/x64/cl.exe", "bin/Hostarm64/arm64/cl.exe"}) {
      const std::string cl = files.join(toolset, part);
      if (!files.is_file(cl)) {
        continue;
      }
      studio.toolsets.push_back(entry.name);
      HostCompiler compiler;
      compiler.kind = CompilerKind::msvc;
      compiler.path = cl;
      compiler.version = Fact<std::string>::present(entry.name, toolset);
      compiler.cxx = true;
      all.compilers.push_back(std::move(compiler));
      break;
    }
  }
}

void add_instance(CudaFiles& files, const std::string& state, HostCompilers& all) {
  VisualStudio studio;
  studio.origin = state;
  const auto text = files.text(state, kLongestState);
  const auto strings = text ? json_strings(*text) : std::unexpected(text.error());
  if (!strings) {
    studio.path = Fact<std::string>::unreadable(strings.error(), state);
    studio.version = Fact<std::string>::unreadable(strings.error(), state);
    all.visual_studio.push_back(std::move(studio));
    return;
  }
  const auto string = [&](const char* key) {
    const auto hit = strings->find(key);
    return hit == strings->end() ? Fact<std::string>::absent(state)
                                 : Fact<std::string>::present(hit->second, state);
  };
  studio.path = string("installationPath");
  studio.version = string("installationVersion");
  studio.product = string("product.id").value.value_or("");
  studio.channel = string("channelId").value.value_or("");
  studio.present = studio.path && files.is_folder(*studio.path.value);
  if (studio.present) {
    add_toolsets(files, studio, all);
  }
  all.visual_studio.push_back(std::move(studio));
}

void add_sdks(CudaFiles& files, HostCompilers& all) {
  const Registry& registry = *files.host().registry;
  for (const char* software : {"HKLM\\SOFTWARE\\", "HKLM\\SOFTWARE\\WOW6432Node\\"}) {
    const std::string key = std::string(software) + "Microsoft\\Windows Kits\\Installed Roots";
    const auto root = registry_text(registry, key, "KitsRoot10");
    if (!root) {
      continue;
    }
    for (const std::string& version : registry_subkeys(registry, key)) {
      const bool known = std::ranges::any_of(all.windows_sdks, [&](const WindowsSdk& sdk) {
        return sdk.version == version && sdk.root == *root.value;
      });
      if (!known && Version::parse(version) && all.windows_sdks.size() < kMostToolsets) {
        const std::string header = files.join(*root.value, "Include/" + version + "/um/windows.h");
        all.windows_sdks.push_back({version, *root.value, key, files.is_file(header)});
      }
    }
  }
}

}  // namespace

void observe_visual_studio(CudaFiles& files, HostCompilers& all) {
  std::string packages = files.join(files.program_data(), "Microsoft/VisualStudio/Packages");
  const auto moved = registry_text(*files.host().registry,
                                   "HKLM\\SOFTWARE\\Microsoft\\VisualStudio\\Setup", "CachePath");
  if (moved && !moved.value->empty()) {
    packages = expand_variables(*moved.value, files.host().variable);
  }
  const std::string instances = files.join(packages, "_Instances");
  for (const DirectoryEntry& entry : files.list(instances)) {
    const std::string state = files.join(files.join(instances, entry.name), "state.json");
    if (entry.kind != FileKind::regular && all.visual_studio.size() < kMostInstances &&
        files.is_file(state)) {
      add_instance(files, state, all);
    }
  }
  add_sdks(files, all);
}

}  // namespace plumb

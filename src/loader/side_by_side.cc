// SPDX-License-Identifier: Apache-2.0
#include "loader/side_by_side.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

// The largest real manifest (Office's) has some 100 kB; an assembly's own some 3 kB.
constexpr std::size_t kMaxManifest = 1U << 20;
constexpr std::size_t kMaxAssemblies = 64;
constexpr std::size_t kMaxTexts = 4096;

/// The value of an attribute inside one element's text: name="value" or name='value'.
std::string attribute(std::string_view element, std::string_view name) {
  for (std::size_t at = element.find(name); at != std::string_view::npos;
       at = element.find(name, at + 1)) {
    const bool starts = at > 0 && (element[at - 1] == ' ' || element[at - 1] == '\t' ||
                                   element[at - 1] == '\n' || element[at - 1] == '\r');
    const std::string_view rest = trim(element.substr(at + name.size()));
    if (!starts || !rest.starts_with('=')) {
      continue;
    }
    const std::string_view value = trim(rest.substr(1));
    if (value.empty() || (value[0] != '"' && value[0] != '\'')) {
      continue;
    }
    return std::string(value.substr(1, value.find(value[0], 1) - 1));
  }
  return "";
}

/// The element that begins at or after `at`, from "<tag" up to its ">"; `at` moves behind it.
std::string_view next_element(std::string_view text, std::string_view tag, std::size_t& at) {
  at = text.find(tag, at);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::size_t end = text.find('>', at);
  const std::string_view element = text.substr(at, end == std::string_view::npos ? end : end - at);
  at += element.size();
  return element;
}

std::string architecture_of(std::string_view machine) {
  if (machine == "x86_64") {
    return "amd64";
  }
  if (machine == "i386") {
    return "x86";
  }
  return machine == "aarch64" ? "arm64" : std::string(machine);
}

}  // namespace

std::vector<AssemblyName> parse_dependent_assemblies(std::string_view manifest) {
  std::vector<AssemblyName> all;
  std::size_t at = 0;
  manifest = manifest.substr(0, kMaxManifest);
  while (all.size() < kMaxAssemblies && !next_element(manifest, "<dependentAssembly", at).empty()) {
    const std::string_view element = next_element(manifest, "<assemblyIdentity", at);
    AssemblyName assembly{attribute(element, "name"), attribute(element, "version"),
                          to_lower_ascii(attribute(element, "publicKeyToken")),
                          attribute(element, "language")};
    if (!assembly.name.empty() && !has_windows_folder(assembly.name)) {
      all.push_back(std::move(assembly));
    }
    if (element.empty()) {
      break;
    }
  }
  return all;
}

bool manifest_lists_file(std::string_view manifest, std::string_view file) {
  std::size_t at = 0;
  while (at != std::string_view::npos) {
    const std::string_view element = next_element(manifest, "<file", at);
    if (!element.empty() && to_lower_ascii(attribute(element, "name")) == to_lower_ascii(file)) {
      return true;
    }
  }
  return false;
}

const std::vector<AssemblyName>& SideBySide::assemblies(std::string_view manifest) {
  const auto known = parsed_.find(manifest);
  if (known != parsed_.end()) {
    return known->second;
  }
  return parsed_.emplace(std::string(manifest), parse_dependent_assemblies(manifest)).first->second;
}

std::optional<std::string> SideBySide::find(FileView& files, std::string_view manifest,
                                            const std::string& folder,
                                            const std::string& windows_folder,
                                            const std::string& machine, const std::string& name) {
  for (const AssemblyName& assembly : assemblies(manifest)) {
    const std::vector<std::string> folders = shared(files, assembly, windows_folder, machine);
    for (const std::string& place : folders) {
      std::string file = join_windows_path(place, name);
      if (files.entry(file).kind == EntryKind::file) {
        return file;
      }
    }
    if (!folders.empty()) {
      continue;  // what is beside the file is not looked at
    }
    for (const std::string& place : {folder, join_windows_path(folder, assembly.name)}) {
      const std::string& text =
          text_of(files, join_windows_path(place, assembly.name + ".manifest"));
      if (text.empty()) {
        continue;
      }
      if (manifest_lists_file(text, name)) {
        return join_windows_path(place, name);
      }
      break;
    }
  }
  return std::nullopt;
}

std::optional<std::string> SideBySide::missing(FileView& files, std::string_view manifest,
                                               const std::string& folder,
                                               const std::string& windows_folder,
                                               const std::string& machine) {
  for (const AssemblyName& assembly : assemblies(manifest)) {
    const bool is_shared = !shared(files, assembly, windows_folder, machine).empty();
    if (winsxs_->empty()) {
      return std::nullopt;
    }
    const bool any_language = assembly.language.empty() || assembly.language == "*" ||
                              to_lower_ascii(assembly.language) == "neutral";
    bool found = is_shared || !any_language;
    for (const std::string& place : {folder, join_windows_path(folder, assembly.name)}) {
      for (const char* extension : {".manifest", ".dll"}) {
        found = found || files.entry(join_windows_path(place, assembly.name + extension)).kind ==
                             EntryKind::file;
      }
    }
    if (!found) {
      return assembly.name;
    }
  }
  return std::nullopt;
}

std::vector<std::string> SideBySide::shared(FileView& files, const AssemblyName& assembly,
                                            const std::string& windows_folder,
                                            const std::string& machine) {
  const std::string store = join_windows_path(windows_folder, "WinSxS");
  if (!winsxs_) {
    winsxs_.emplace();
    for (const std::string& entry : files.list(store)) {
      winsxs_->push_back(to_lower_ascii(entry));
    }
    std::ranges::sort(*winsxs_);
  }
  const std::string start =
      architecture_of(machine) + "_" + to_lower_ascii(assembly.name) + "_" + assembly.token + "_";
  const std::size_t dot = assembly.version.find('.');
  const std::string same =
      start + (dot == std::string::npos
                   ? ""
                   : assembly.version.substr(0, assembly.version.find('.', dot + 1)) + ".");
  std::vector<std::pair<std::optional<Version>, std::string>> found;
  for (auto at = std::ranges::lower_bound(*winsxs_, same);
       at != winsxs_->end() && at->starts_with(same); ++at) {
    const std::size_t end = at->find('_', start.size());
    found.emplace_back(Version::parse(at->substr(start.size(), end - start.size())), *at);
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return b.first < a.first; });
  std::vector<std::string> folders;
  for (const auto& [version, name] : found) {
    folders.push_back(join_windows_path(store, name));
  }
  return folders;
}

const std::string& SideBySide::text_of(FileView& files, const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) {
    return known->second;
  }
  if (texts_.size() >= kMaxTexts) {
    texts_.clear();
  }
  std::string text;
  if (files.entry(path).kind == EntryKind::file) {
    if (const auto source = files.open(path)) {
      if (const auto bytes = read_range(**source, 0, (*source)->size(), kMaxManifest)) {
        text = as_text(*bytes);
      }
    }
  }
  return texts_.emplace(path, std::move(text)).first->second;
}

}  // namespace plumb

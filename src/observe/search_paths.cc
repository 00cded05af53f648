// SPDX-License-Identifier: Apache-2.0
// Windows gives a new program the machine's PATH, ';' and the user's; a terminal that was open
// before a change keeps the old one. setx cuts at 1024 characters and, given %PATH%, writes both
// lists merged into one of them.
#include "observe/search_paths.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "observe/text_fact.h"
#include "os/disk_space.h"

namespace plumb {
namespace {

constexpr std::size_t kMostEntries = 5000;
constexpr std::size_t kMostExamples = 8;
constexpr std::size_t kLongestExample = 400;
constexpr std::size_t kLongestText = 64 << 10;
constexpr std::size_t kMaxPath = 260;
constexpr std::uint32_t kRegSz = 1;
constexpr std::size_t kSetxCut = 1024;
constexpr std::size_t kSetxSlack = 4;  // a final ';' or blank may have been tidied away

constexpr const char* kMachineKey =
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
constexpr const char* kUserKey = "HKCU\\Environment";

/// In characters as Windows counts them: UTF-16 units.
std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xc0U) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

/// At ';' outside quotes; the quotes stay.
std::vector<std::string> split_windows(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    quoted = c == '"' ? !quoted : quoted;
    if (c == ';' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// LD_LIBRARY_PATH may be split by ';', too (ld.so(8)).
std::vector<std::string> split_linux(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (separators.find(c) != std::string_view::npos) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// For comparing two entries of Windows.
std::string normalized(std::string_view entry) {
  std::string out = to_lower_ascii(trim(entry));
  std::erase(out, '"');
  std::ranges::replace(out, '/', '\\');
  while (out.size() > 3 && out.ends_with('\\')) {
    out.pop_back();
  }
  return out;
}

bool has_drive(std::string_view path) {
  return path.size() >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

class Faults {
 public:
  void add(PathFault fault, std::string_view entry) {
    auto hit = std::ranges::find(list_, fault, &PathFaults::fault);
    if (hit == list_.end()) {
      hit = list_.insert(list_.end(), PathFaults{fault, 0, {}});
    }
    ++hit->count;
    if (hit->examples.size() < kMostExamples) {
      hit->examples.emplace_back(entry.substr(0, kLongestExample));
    }
  }
  [[nodiscard]] std::vector<PathFaults> take() { return std::move(list_); }

 private:
  std::vector<PathFaults> list_;
};

void add_kind(FileKind kind, std::string_view entry, Faults& faults) {
  if (kind == FileKind::missing) {
    faults.add(PathFault::missing, entry);
  } else if (kind != FileKind::directory) {
    faults.add(PathFault::not_a_folder, entry);
  }
}

class WindowsPaths {
 public:
  explicit WindowsPaths(const Host& host) : host_(host) {}

  [[nodiscard]] std::vector<std::string> entries(const SearchPath& path) const {
    std::vector<std::string> list;
    for (std::string& entry : split_windows(path.text.value.value_or(""))) {
      if (!trim(entry).empty() && list.size() < kMostEntries) {
        list.push_back(path.registry_type == kRegSz ? std::move(entry) : expanded(entry));
      }
    }
    return list;
  }

  void judge(SearchPath& path) const {
    Faults faults;
    std::unordered_set<std::string> seen;
    const auto parts = split_windows(path.text.value.value_or(""));
    for (const std::string& part : parts) {
      if (trim(part).empty()) {
        continue;
      }
      if (++path.entries > kMostEntries) {
        continue;
      }
      judge_entry(part, path.registry_type, seen, faults);
    }
    path.faults = faults.take();
  }

  /// The kind of what an entry names, as far as it may be looked at.
  [[nodiscard]] std::optional<FileKind> kind_of(std::string_view entry) const {
    std::string path(trim(entry));
    std::erase(path, '"');
    if (!has_drive(path) || (host_.root.empty() && is_on_network(path))) {
      return std::nullopt;
    }
    if (!host_.root.empty()) {
      if (path[0] != 'C' && path[0] != 'c') {
        return std::nullopt;
      }
      std::ranges::replace(path, '\\', '/');
      while (path.size() > 3 && path.ends_with('/')) {
        path.pop_back();
      }
      path = host_.at(path.substr(2));
    }
    const auto status = file_status(path);
    return status ? std::optional(status->kind) : std::nullopt;
  }

  [[nodiscard]] std::string expanded(std::string_view text) const {
    return expand_variables(text, [this](const std::string& name) -> std::optional<std::string> {
      if (auto value = host_.set_variable(name)) {
        return value;
      }
      const std::string lower = to_lower_ascii(name);
      if (lower == "systemroot" || lower == "windir") {
        return "C:\\Windows";
      }
      return lower == "systemdrive" ? std::optional<std::string>("C:") : std::nullopt;
    });
  }

 private:
  void judge_entry(const std::string& part, std::uint32_t type,
                   std::unordered_set<std::string>& seen, Faults& faults) const {
    const std::string entry = type == kRegSz ? part : expanded(part);
    const std::string_view text = trim(entry);
    if (!seen.insert(normalized(text)).second) {
      faults.add(PathFault::duplicate, part);
      return;
    }
    if (text.find('"') != std::string_view::npos) {
      faults.add(PathFault::quoted, part);
    }
    if (utf16_length(text) > kMaxPath) {
      faults.add(PathFault::too_long, part);
    }
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      faults.add(PathFault::not_ascii, part);
    }
    const std::string plain = normalized(text);
    if (const std::size_t percent = plain.find('%');
        percent != std::string::npos && plain.find('%', percent + 1) != std::string::npos) {
      faults.add(PathFault::not_expanded, part);
    } else if (plain.starts_with("\\\\")) {
      faults.add(PathFault::on_network, part);
    } else if (!has_drive(plain + "\\")) {
      faults.add(PathFault::relative, part);
    } else if (host_.root.empty() && is_on_network(plain)) {
      faults.add(PathFault::on_network, part);
    } else if (!host_.root.empty() && plain[0] != 'c') {
      faults.add(PathFault::other_drive, part);
    } else if (const auto kind = kind_of(text)) {
      add_kind(*kind, part, faults);
    }
  }

  const Host& host_;
};

/// Of the whole text; what is kept is cut so that a hostile value cannot fill a snapshot.
void measure(SearchPath& path, bool windows) {
  if (!path.text) {
    return;
  }
  path.length = windows ? utf16_length(*path.text.value) : path.text.value->size();
  if (path.text.value->size() > kLongestText) {
    std::size_t end = kLongestText;  // not within a character
    while (end > 0 && (static_cast<unsigned char>((*path.text.value)[end]) & 0xc0U) == 0x80) {
      --end;
    }
    path.text.value->resize(end);
  }
}

SearchPath registry_path(const WindowsPaths& paths, const Registry& registry, const char* key) {
  SearchPath path;
  path.text = registry_text(registry, key, "Path");
  if (const auto value = registry.value(key, "Path")) {
    path.registry_type = value->type;
  }
  paths.judge(path);
  measure(path, true);
  return path;
}

std::set<std::string> set_of(const std::vector<std::string>& entries) {
  std::set<std::string> names;
  for (const std::string& entry : entries) {
    names.insert(normalized(entry));
  }
  return names;
}

bool looks_cut(const WindowsPaths& paths, const SearchPath& path,
               const std::set<std::string>& other) {
  if (path.length > kSetxCut || path.length + kSetxSlack < kSetxCut) {
    return false;
  }
  const auto entries = paths.entries(path);
  if (entries.empty() || path.text.value->ends_with(';')) {
    return false;
  }
  const std::string last = normalized(entries.back());
  const bool is_start_of_another = std::ranges::any_of(other, [&](const std::string& entry) {
    return entry.size() > last.size() && entry.starts_with(last);
  });
  return paths.kind_of(entries.back()) == FileKind::missing || !has_drive(last + "\\") ||
         (is_start_of_another && !other.contains(last));
}

void observe_windows(const Host& host, SearchPaths& found) {
  const WindowsPaths paths(host);
  const Registry& registry = *host.registry;
  found.process.text = fact_of_variable(host, "PATH");
  paths.judge(found.process);
  measure(found.process, true);
  found.machine = registry_path(paths, registry, kMachineKey);
  found.user = registry_path(paths, registry, kUserKey);
  const auto machine_entries = paths.entries(found.machine);
  const auto user_entries = paths.entries(found.user);
  const auto machine = set_of(machine_entries);
  const auto user = set_of(user_entries);
  found.machine_entries_in_user = static_cast<std::uint64_t>(std::ranges::count_if(
      user, [&](const std::string& entry) { return machine.contains(entry); }));
  found.user_cut_by_setx = looks_cut(paths, found.user, machine);
  found.machine_cut_by_setx = looks_cut(paths, found.machine, user);
  found.cuda_path_machine = registry_text(registry, kMachineKey, "CUDA_PATH");
  found.cuda_path_user = registry_text(registry, kUserKey, "CUDA_PATH");
  if (!found.process.text) {
    return;
  }
  const auto process = set_of(paths.entries(found.process));
  for (const auto* entries : {&machine_entries, &user_entries}) {
    for (const std::string& entry : *entries) {
      if (found.only_in_registry.size() < kMostExamples && !process.contains(normalized(entry))) {
        found.only_in_registry.push_back(entry.substr(0, kLongestExample));
      }
    }
  }
}

void judge_linux(const Host& host, const MountTable& mounts, std::string_view separators,
                 SearchPath& path) {
  if (!path.text) {
    return;
  }
  Faults faults;
  std::unordered_set<std::string> seen;
  for (const std::string& entry : split_linux(*path.text.value, separators)) {
    if (++path.entries > kMostEntries) {
      continue;
    }
    if (entry.empty()) {
      faults.add(PathFault::empty, entry);
      continue;
    }
    if (!seen.insert(entry).second) {
      faults.add(PathFault::duplicate, entry);
      continue;
    }
    std::string_view folder = entry;
    while (folder.size() > 1 && folder.ends_with('/')) {
      folder.remove_suffix(1);
    }
    if (base_name(folder) == "stubs") {
      faults.add(PathFault::stubs, entry);
    } else if (folder.ends_with("/compat") || folder.find("/compat/") != std::string_view::npos) {
      faults.add(PathFault::compat, entry);
    }
    if (!entry.starts_with('/')) {
      faults.add(PathFault::relative, entry);
    } else if (const Place place = find_place(host, mounts, entry); place.on_network) {
      faults.add(PathFault::on_network, entry);
    } else if (const auto status = file_status(host.at(folder))) {
      add_kind(status->kind, entry, faults);
    }
  }
  path.faults = faults.take();
  measure(path, false);
}

}  // namespace

SearchPaths observe_search_paths(const Host& host, const MountTable& mounts) {
  SearchPaths found;
  found.cuda_path = fact_of_variable(host, "CUDA_PATH");
  if (host.is_windows()) {
    observe_windows(host, found);
    return found;
  }
  found.process.text = fact_of_variable(host, "PATH");
  judge_linux(host, mounts, ":", found.process);
  found.library_path.text = fact_of_variable(host, "LD_LIBRARY_PATH");
  judge_linux(host, mounts, ":;", found.library_path);
  found.preload = fact_of_variable(host, "LD_PRELOAD");
  return found;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/real_files.h"

#include <algorithm>

#include "base/text.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr int kMostLinks = 40;  // as the kernel follows

std::string with(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

bool has_drive(std::string_view path) {
  const char letter = path.empty() ? '\0' : path[0];
  return path.size() >= 2 && path[1] == ':' &&
         ((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z'));
}

/// Without "." and "..", which Windows takes out of a path before it looks at any file.
std::string normal_windows_path(const std::string& path) {
  std::vector<std::string_view> parts;
  const std::string_view text = path;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\\/", begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    if (part == "..") {
      if (parts.size() > 1) {
        parts.pop_back();
      }
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string normal;
  for (const std::string_view part : parts) {
    normal += normal.empty() ? "" : "\\";
    normal += part;
  }
  return normal;
}

std::string absolute_here(const std::string& path) {
  const bool absolute = path.starts_with('/') || path.starts_with('\\') || has_drive(path);
  return absolute ? path : join_path(real_path("."), path);
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/' ||
                                      path[folder.size()] == '\\');
}

}  // namespace

RealFiles::RealFiles(const Host& host, std::string_view system)
    : root_(host.root.empty() ? std::string{} : real_path(host.root)),
      root_given_(host.root.empty() ? std::string{} : absolute_here(host.root)),
      windows_tree_(system == "windows"),
      windows_here_(system_name() == "windows") {}

std::string RealFiles::there(const std::string& path_here) const {
  std::string path = absolute_here(path_here);
  bool in_root = false;
  for (const std::string* root : {&root_, &root_given_}) {
    if (!in_root && !root->empty() && lies_in(path, *root)) {
      path.erase(0, root->size());
      in_root = true;
    }
  }
  if (windows_tree_) {
    path = with(std::move(path), '/', '\\');
    if (in_root) {
      return "C:" + (path.empty() ? "\\" : path);
    }
    return windows_here_ ? path : "Z:" + path;
  }
  if (!windows_here_) {
    return in_root && path.empty() ? "/" : path;
  }
  path = with(std::move(path), '\\', '/');
  return path.starts_with('/') ? path : '/' + path;
}

std::string RealFiles::here(const std::string& path) {
  if (windows_tree_) {
    if (windows_here_ && root_.empty()) {
      return path;
    }
    if (!has_drive(path)) {
      return {};
    }
    const std::string normal = normal_windows_path(path);
    const std::string relative = normal.size() > 3 ? normal.substr(3) : std::string{};
    const char drive = static_cast<char>(normal[0] & ~0x20);
    if (!root_.empty() && drive == 'C') {
      return windows_here_ ? join_path(root_, relative) : match_case(root_, relative);
    }
    return root_.empty() && drive == 'Z' ? match_case("/", relative) : std::string{};
  }
  if (root_.empty()) {
    return windows_here_ &&
                   has_drive(std::string_view(path).substr(std::min<std::size_t>(1, path.size())))
               ? with(path.substr(1), '/', '\\')
               : path;
  }
  return follow_in_root(path);
}

/// A link to "/usr/lib/x" in a mounted system means that system's file, so links are followed here.
std::string RealFiles::follow_in_root(const std::string& path) {
  if (const auto known = followed_.find(path); known != followed_.end()) {
    return known->second;
  }
  std::string done = root_;
  std::vector<std::string> rest;  // parts to go, the next one last
  const auto push = [&rest](std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('/', begin), text.size());
      if (end > begin) {
        parts.emplace_back(text.substr(begin, end - begin));
      }
      begin = end + 1;
    }
    rest.insert(rest.end(), parts.rbegin(), parts.rend());
  };
  push(path);
  int links = 0;
  while (!rest.empty()) {
    const std::string part = std::move(rest.back());
    rest.pop_back();
    if (part == ".") {
      continue;
    }
    if (part == "..") {
      if (done.size() > root_.size()) {
        done = parent_path(done);
      }
      continue;
    }
    const std::string next = join_path(done, part);
    const auto target =
        windows_here_ ? Result<std::string>(fail(ErrorCode::unsupported, "")) : read_link(next);
    if (!target) {
      done = next;
      continue;
    }
    if (++links > kMostLinks) {
      done = next;  // the system will say that the links go round
      break;
    }
    if (target->starts_with('/')) {
      done = root_;
    }
    push(*target);
  }
  return followed_.emplace(path, std::move(done)).first->second;
}

std::string RealFiles::match_case(const std::string& folder, const std::string& relative) {
  std::string path = folder;
  for (std::size_t begin = 0; begin < relative.size();) {
    const std::size_t end = std::min(relative.find('\\', begin), relative.size());
    const std::string part = relative.substr(begin, end - begin);
    begin = end + 1;
    auto known = names_.find(path);
    if (known == names_.end()) {
      std::map<std::string, std::string> names;
      if (const auto entries = list_directory(path)) {
        for (const DirectoryEntry& item : *entries) {
          names.emplace(to_lower_ascii(item.name), item.name);
        }
      }
      known = names_.emplace(path, std::move(names)).first;
    }
    const auto name = known->second.find(to_lower_ascii(part));
    path = join_path(path, name == known->second.end() ? part : name->second);
  }
  return path;
}

FileEntry RealFiles::entry(const std::string& path) {
  if (const auto known = entries_.find(path); known != entries_.end()) {
    return known->second;
  }
  FileEntry entry;
  const std::string file = here(path);
  const auto status = file.empty() ? Result<FileStatus>(FileStatus{}) : file_status(file);
  if (!status) {
    const ErrorCode code = status.error().code;
    entry.kind = code == ErrorCode::no_permission ? EntryKind::denied
                 : code == ErrorCode::loop        ? EntryKind::loop
                                                  : EntryKind::none;
  } else if (status->kind != FileKind::missing) {
    entry.kind = status->kind == FileKind::regular     ? EntryKind::file
                 : status->kind == FileKind::directory ? EntryKind::folder
                                                       : EntryKind::special;
    entry.identity = std::to_string(status->device) + ':' + std::to_string(status->inode);
  }
  return entries_.emplace(path, std::move(entry)).first->second;
}

std::string RealFiles::resolved(const std::string& path) {
  if (const auto known = resolved_.find(path); known != resolved_.end()) {
    return known->second;
  }
  const std::string file = here(path);
  return resolved_.emplace(path, file.empty() ? path : there(real_path(file))).first->second;
}

std::vector<std::string> RealFiles::list(const std::string& folder) {
  std::vector<std::string> names;
  const std::string path = here(folder);
  if (const auto entries =
          path.empty() ? Result<std::vector<DirectoryEntry>>{} : list_directory(path)) {
    for (const DirectoryEntry& item : *entries) {
      names.push_back(item.name);
    }
  }
  return names;
}

Result<std::shared_ptr<const Source>> RealFiles::open(const std::string& path) {
  const std::string file = here(path);
  if (file.empty()) {
    return fail(ErrorCode::not_found, "lies on a drive that is not here");
  }
  PLUMB_ASSIGN(std::unique_ptr<Source> source, open_file(file));
  return std::shared_ptr<const Source>(std::move(source));
}

template <class File, class Read>
Result<const File*> RealFiles::read_once(const std::string& path,
                                         std::unordered_map<std::string, Result<File>>& kept,
                                         Read read) {
  const std::string identity = entry(path).identity;  // one file under many names is read once
  const std::string& key = identity.empty() ? path : identity;
  auto known = kept.find(key);
  if (known == kept.end()) {
    const auto source = open(path);
    known =
        kept.emplace(key, source ? read(**source) : Result<File>(std::unexpected(source.error())))
            .first;
  }
  if (!known->second) {
    return std::unexpected(known->second.error());
  }
  return &*known->second;
}

Result<const ElfFile*> RealFiles::elf(const std::string& path) {
  return read_once(path, elf_, [](const Source& source) {
    return read_elf(source, {.exports = ExportDetail::none});
  });
}

Result<const PeFile*> RealFiles::pe(const std::string& path) {
  return read_once(path, pe_, [](const Source& source) {
    return read_pe(source, {.exports = ExportDetail::none});
  });
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/file_walk.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "base/text.h"
#include "os/file.h"
#include "os/parallel.h"

namespace plumb {
namespace {

// A Python environment has tens of thousands of these for some hundred binaries.
constexpr std::array<std::string_view, 58> kTextEndings = {
    "ac",  "am",  "bat",  "bib", "c",     "cc",   "cfg",   "cmake", "conf", "cpp",  "css", "csv",
    "cu",  "cuh", "cxx",  "f90", "fish",  "gif",  "gz",    "h",     "hpp",  "html", "hxx", "in",
    "inc", "ini", "inl",  "ipp", "ipynb", "jpeg", "jpg",   "js",    "json", "lock", "md",  "npy",
    "npz", "pc",  "pem",  "png", "proto", "ps1",  "pxd",   "py",    "pyc",  "pyi",  "pyx", "rst",
    "sh",  "svg", "toml", "ts",  "tsv",   "txt",  "typed", "xml",   "yaml", "yml"};

static_assert(std::ranges::is_sorted(kTextEndings));

std::string sort_key(std::string_view path) {
  std::string key(path);
  std::ranges::replace_if(key, [](char c) { return c == '/' || c == path_separator(); }, '\x01');
  return key;
}

struct Found {
  std::vector<std::string> folders, files, links;
  std::vector<InspectError> errors;
};

Found list_folder(const std::string& folder) {
  Found found;
  auto entries = list_directory(folder);
  if (!entries) {
    found.errors.push_back({folder, "", std::move(entries).error()});
    return found;
  }
  for (DirectoryEntry& entry : *entries) {
    std::string path = join_path(folder, entry.name);
    switch (entry.kind) {
      case FileKind::directory:
        found.folders.push_back(std::move(path));
        break;
      case FileKind::regular:
      case FileKind::symlink:
        if (!is_text_name(entry.name)) {
          (entry.kind == FileKind::regular ? found.files : found.links).push_back(std::move(path));
        }
        break;
      case FileKind::special:
      case FileKind::missing:
        break;
    }
  }
  return found;
}

/// Everything below `folders`, level by level, so that the folders of one level are listed in
/// parallel.
Found walk_folders(std::vector<std::string> folders) {
  Found all;
  while (!folders.empty()) {
    std::vector<Found> level(folders.size());
    parallel_for(folders.size(), [&](std::size_t i) { level[i] = list_folder(folders[i]); });
    folders.clear();
    for (Found& one : level) {
      std::ranges::move(one.folders, std::back_inserter(folders));
      std::ranges::move(one.files, std::back_inserter(all.files));
      std::ranges::move(one.links, std::back_inserter(all.links));
      std::ranges::move(one.errors, std::back_inserter(all.errors));
    }
  }
  return all;
}

using FileId = std::pair<std::uint64_t, std::uint64_t>;

}  // namespace

bool is_text_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  return std::ranges::binary_search(kTextEndings,
                                    std::string_view(to_lower_ascii(name.substr(dot + 1))));
}

Walk walk_files(const std::vector<std::string>& paths) {
  Walk walk;
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    auto status = file_status(path);
    if (!status) {
      walk.errors.push_back({path, "", std::move(status).error()});
    } else if (status->kind == FileKind::directory) {
      folders.push_back(path);
    } else if (status->kind == FileKind::regular) {
      walk.files.push_back({path, status->size, true});
    } else if (status->kind == FileKind::missing) {
      walk.errors.push_back(
          {path, "", Error{ErrorCode::not_found, "no such file or folder", {}, {}}});
    } else {
      walk.errors.push_back({path, "",
                             Error{ErrorCode::special_file,
                                   "not a regular file; plumb opens no pipes or devices",
                                   {},
                                   {}}});
    }
  }
  Found found = walk_folders(std::move(folders));
  std::ranges::move(found.errors, std::back_inserter(walk.errors));

  std::vector<std::string> candidates = std::move(found.files);
  const std::size_t real_files = candidates.size();
  std::ranges::move(found.links, std::back_inserter(candidates));
  std::vector<Result<FileStatus>> statuses(candidates.size());
  parallel_for(candidates.size(), [&](std::size_t i) { statuses[i] = file_status(candidates[i]); });
  std::set<FileId> seen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool link = i >= real_files;
    if (!statuses[i]) {
      if (!link) {  // a broken link is no fault of the binaries
        walk.errors.push_back({candidates[i], "", std::move(statuses[i]).error()});
      }
      continue;
    }
    if (statuses[i]->kind != FileKind::regular) {
      continue;
    }
    const bool is_new = seen.insert({statuses[i]->device, statuses[i]->inode}).second;
    if (is_new || !link) {
      walk.files.push_back({std::move(candidates[i]), statuses[i]->size, false});
    }
  }
  std::ranges::sort(walk.files, {}, [](const WalkedFile& file) { return sort_key(file.path); });
  const auto same = [](const WalkedFile& a, const WalkedFile& b) {
    return sort_key(a.path) == sort_key(b.path);  // on Windows both separators are one
  };
  walk.files.erase(std::unique(walk.files.begin(), walk.files.end(), same), walk.files.end());
  std::ranges::sort(walk.errors, {},
                    [](const InspectError& error) { return sort_key(error.path); });
  return walk;
}

}  // namespace plumb

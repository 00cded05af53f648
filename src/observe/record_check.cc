// SPDX-License-Identifier: Apache-2.0
#include "observe/record_check.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "os/file.h"
#include "os/parallel.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestRecord = 64 << 20;
constexpr std::size_t kMostExamples = 5;
constexpr std::size_t kLongPath = 260;  // MAX_PATH with its NUL

struct WantedFile {
  std::uint32_t package = 0;
  std::string name;
  std::string row;  // as RECORD writes it; kept only until it is known to be there
};

struct WantedFolder {
  std::string path;
  std::vector<WantedFile> files;
  std::vector<const WantedFile*> missing;
  bool unreadable = false;
};

/// UTF-16 units, as Windows counts.
std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    length += (byte & 0xc0U) == 0x80U ? 0 : byte >= 0xf0U ? 2 : 1;
  }
  return length;
}

/// The folder of a row below `site`, ".." followed by name; "" if it leaves `outer`.
std::string folder_of(const std::string& site, std::string_view below, const std::string& outer) {
  std::string folder = site;
  for (const std::string_view part : split(below, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == "..") {
      folder = parent_path(folder);
    } else {
      folder = join_path(folder, part);
    }
    if (folder.empty()) {
      return {};
    }
  }
  const bool inside = folder.starts_with(outer) &&
                      (folder.size() == outer.size() || folder[outer.size()] == '/' ||
                       folder[outer.size()] == '\\' || outer.ends_with(path_separator()));
  return inside || below.find("..") == std::string_view::npos ? folder : std::string{};
}

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || (path.size() > 1 && path[1] == ':');
}

class Checker {
 public:
  Checker(const std::string& outer, bool windows, std::ptrdiff_t shown_offset,
          std::size_t most_files)
      : outer_(outer), windows_(windows), shown_offset_(shown_offset), left_(most_files) {}

  void collect(const Distribution& distribution) {
    const auto package = static_cast<std::uint32_t>(out_.checks.size());
    const std::string path = join_path(join_path(distribution.site, distribution.info), "RECORD");
    if (left_ == 0) {
      out_.cut = true;
      out_.checks.push_back(Fact<RecordCheck>::absent(path));
      return;
    }
    const auto text = read_text_file(path, kLongestRecord);
    if (!text) {
      out_.checks.push_back(
          text.error().code == ErrorCode::not_found
              ? Fact<RecordCheck>::absent(path)
              : Fact<RecordCheck>::unreadable(Error(text.error()).in(path), path));
      return;
    }
    RecordCheck check;
    std::string last_below = "\n";  // no folder's name
    WantedFolder* folder = nullptr;
    std::vector<std::string> rows = paths_of_record(*text, left_ + 1);
    if (rows.size() > left_) {
      rows.pop_back();
      out_.cut = true;
    }
    left_ -= rows.size();
    for (std::string& row : rows) {
      const std::size_t slash = row.rfind('/');
      const std::string_view below =
          slash == std::string::npos ? std::string_view{} : std::string_view(row).substr(0, slash);
      if (below != last_below) {
        folder =
            is_absolute(row) ? nullptr : wanted_folder(folder_of(distribution.site, below, outer_));
        last_below = below;
      }
      if (folder == nullptr) {
        ++check.outside;
        continue;
      }
      ++check.files;
      std::string name = row.substr(slash + 1);  // npos + 1 is 0
      note_length(folder->path, name);
      folder->files.push_back({package, std::move(name), std::move(row)});
    }
    out_.checks.push_back(Fact<RecordCheck>::present(std::move(check), path));
  }

  [[nodiscard]] RecordChecks finish() {
    parallel_for(folders_.size(), [this](std::size_t i) { look(*folders_[i]); });
    out_.folders_listed = folders_.size();
    for (const auto& folder : folders_) {
      for (const WantedFile* file : folder->missing) {
        RecordCheck& check = *out_.checks[file->package].value;
        if (folder->unreadable) {
          ++check.unreadable;
          continue;
        }
        ++check.missing;
        if (check.missing_examples.size() < kMostExamples) {
          check.missing_examples.push_back(file->row);
        }
      }
    }
    return std::move(out_);
  }

 private:
  WantedFolder* wanted_folder(std::string path) {
    if (path.empty()) {
      return nullptr;
    }
    const auto [at, is_new] = places_.emplace(std::move(path), folders_.size());
    if (is_new) {
      folders_.push_back(std::make_unique<WantedFolder>());
      folders_.back()->path = at->first;
    }
    return folders_[at->second].get();
  }

  void note_length(const std::string& folder, const std::string& name) {
    if (!windows_) {
      return;
    }
    const auto length =
        static_cast<std::ptrdiff_t>(utf16_length(folder) + 1 + utf16_length(name)) + shown_offset_;
    if (length < static_cast<std::ptrdiff_t>(kLongPath)) {
      return;
    }
    ++out_.long_paths;
    if (length > longest_) {
      longest_ = length;
      out_.longest_path = join_path(folder, name);
    }
  }

  void look(WantedFolder& folder) const {
    const auto entries = list_directory(folder.path);
    if (!entries) {
      folder.unreadable = entries.error().code != ErrorCode::not_found;
      for (const WantedFile& file : folder.files) {
        folder.missing.push_back(&file);
      }
      return;
    }
    std::vector<std::string> lower;
    if (windows_) {
      for (const DirectoryEntry& entry : *entries) {
        lower.push_back(to_lower_ascii(entry.name));
      }
      std::ranges::sort(lower);
    }
    for (const WantedFile& file : folder.files) {
      const bool there =
          windows_ ? std::ranges::binary_search(lower, to_lower_ascii(file.name))
                   : std::ranges::binary_search(*entries, file.name, {}, &DirectoryEntry::name);
      if (!there) {
        folder.missing.push_back(&file);
      }
    }
  }

  const std::string& outer_;
  bool windows_;
  std::ptrdiff_t shown_offset_;
  std::size_t left_;
  std::ptrdiff_t longest_ = 0;
  std::vector<std::unique_ptr<WantedFolder>> folders_;
  std::unordered_map<std::string, std::size_t> places_;
  RecordChecks out_;
};

/// The first field of a row that begins with a quote; "" if the quote is not closed.
std::string quoted_field(std::string_view line) {
  std::string value;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      value += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      value += '"';
      ++i;
    } else {
      return value;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> paths_of_record(std::string_view text, std::size_t most) {
  std::vector<std::string> paths;
  while (!text.empty() && paths.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string path =
        line.starts_with('"') ? quoted_field(line) : std::string(line.substr(0, line.find(',')));
    if (path.ends_with('\r')) {
      path.pop_back();
    }
    std::ranges::replace(path, '\\', '/');
    if (path.empty() || path.ends_with('/') || path.ends_with(".pyc") ||
        path.find('\0') != std::string::npos) {
      continue;
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

RecordChecks check_records(const std::vector<const Distribution*>& distributions,
                           const std::string& outer, const std::string& environment_system,
                           std::ptrdiff_t shown_offset, std::size_t most_files) {
  Checker checker(outer, environment_system == "windows", shown_offset, most_files);
  for (const Distribution* distribution : distributions) {
    checker.collect(*distribution);
  }
  return checker.finish();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/package_files.h"

#include <algorithm>

#include "base/text.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestRecord = 64 << 20;
constexpr std::size_t kMostWalked = 50'000;
constexpr int kDeepest = 8;

bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find(':') != std::string_view::npos) {
    return false;
  }
  const auto parts = split(path, '/');
  return std::ranges::find(parts, "..") == parts.end();
}

/// Fields of one row; a quoted one may hold commas, and none here holds a line feed.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

class LibraryWalk {
 public:
  explicit LibraryWalk(std::string site) : site_(std::move(site)) {}

  void walk(const std::string& folder, int depth) {
    const auto entries = list_directory(join_path(site_, folder));
    if (!entries) {
      return;
    }
    for (const DirectoryEntry& entry : *entries) {
      if (++seen_ > kMostWalked) {
        return;
      }
      const std::string path = folder + "/" + entry.name;
      if (entry.kind == FileKind::directory && depth < kDeepest) {
        walk(path, depth + 1);
      } else if (entry.kind != FileKind::directory && is_library_name(entry.name)) {
        const auto status = file_status(join_path(site_, path));
        if (status && status->kind == FileKind::regular) {
          found.push_back({path, status->size});
        }
      }
    }
  }

  std::vector<OwnedLibrary> found;

 private:
  std::string site_;
  std::size_t seen_ = 0;
};

}  // namespace

bool is_library_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  if (ends_with_nocase(name, ".so") || ends_with_nocase(name, ".dll") ||
      ends_with_nocase(name, ".pyd")) {
    return true;
  }
  const std::size_t at = name.rfind(".so.");
  return at != std::string_view::npos &&
         name.find_first_not_of("0123456789.", at + 4) == std::string_view::npos;
}

std::vector<OwnedLibrary> libraries_of_record(std::string_view record) {
  std::vector<OwnedLibrary> libraries;
  for (const std::string_view line : split(record, '\n')) {
    // A row of 10,000 is seldom a library: look before taking it apart.
    if (line.find(".so") == std::string_view::npos && line.find(".dll") == std::string_view::npos &&
        line.find(".pyd") == std::string_view::npos &&
        line.find(".DLL") == std::string_view::npos) {
      continue;
    }
    const std::vector<std::string> fields = fields_of(line);
    std::string path = fields.front();
    std::ranges::replace(path, '\\', '/');
    if (!is_library_name(path) || !stays_inside(path)) {
      continue;
    }
    const auto size = fields.size() > 2 ? parse_decimal(trim(fields[2])) : std::nullopt;
    libraries.push_back({std::move(path), size.value_or(0)});
  }
  return libraries;
}

std::vector<OwnedLibrary> owned_libraries(const Distribution& distribution,
                                          const std::vector<std::string>& folders) {
  const std::string info = join_path(distribution.site, distribution.info);
  std::vector<OwnedLibrary> libraries;
  const auto record = read_text_file(join_path(info, "RECORD"), kLongestRecord);
  if (record) {
    libraries = libraries_of_record(*record);
  } else {
    LibraryWalk walk(distribution.site);
    for (const std::string& folder : folders) {
      walk.walk(folder, 0);
    }
    libraries = std::move(walk.found);
  }
  std::ranges::stable_sort(libraries, std::ranges::greater{}, &OwnedLibrary::size);
  libraries.resize(std::min(libraries.size(), kMostLibraries));
  return libraries;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/inspect.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "observe/file_walk.h"
#include "observe/inspect_package.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/parallel.h"

namespace plumb {
namespace {

void add_error(Inspection& inspection, const std::string& path, Error error) {
  inspection.errors.push_back({path, "", std::move(error)});
}

/// A library without any bytes is a broken install; other empty files in a folder mean nothing.
bool has_library_name(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.find(".so.") != std::string_view::npos || ends_with_nocase(name, ".so") ||
         ends_with_nocase(name, ".dll") || ends_with_nocase(name, ".pyd") ||
         ends_with_nocase(name, ".exe") || ends_with_nocase(name, ".node");
}

Inspection inspect_binary(const WalkedFile& file, const Source& source,
                          const InspectOptions& options) {
  Inspection result;
  auto read = read_binary(source, {.exports = options.exports, .search = options.search});
  if (!read) {
    const bool means_nothing = read.error().code == ErrorCode::not_binary ||
                               (file.size == 0 && !has_library_name(file.path));
    if (file.named || !means_nothing) {
      add_error(result, file.path, std::move(read).error());
    }
    return result;
  }
  read->facts.path = file.path;
  for (Error& fault : read->faults) {
    add_error(result, file.path, std::move(fault));
  }
  result.files.push_back({std::move(read->facts), {}, 0});
  return result;
}

Inspection inspect_file(const WalkedFile& file, const InspectOptions& options) {
  Inspection result;
  auto source = open_file(file.path);
  if (!source) {
    add_error(result, file.path, std::move(source).error());
    return result;
  }
  return is_package_name(file.path) ? inspect_package(file.path, **source, options)
                                    : inspect_binary(file, **source, options);
}

}  // namespace

Inspection inspect_paths(const std::vector<std::string>& paths, const InspectOptions& options) {
  Walk walk = walk_files(paths);
  std::vector<Inspection> results(walk.files.size());

  // Packages use all cores themselves, one after the other: that bounds memory. Other files go in
  // parallel, the largest first, so that none is left over at the end.
  std::vector<std::size_t> packages;
  std::vector<std::size_t> binaries;
  for (std::size_t i = 0; i < walk.files.size(); ++i) {
    (is_package_name(walk.files[i].path) ? packages : binaries).push_back(i);
  }
  std::ranges::sort(binaries, std::ranges::greater{},
                    [&walk](std::size_t i) { return std::pair(walk.files[i].size, i); });
  parallel_for(binaries.size(), [&](std::size_t i) {
    if (!interrupted()) {
      results[binaries[i]] = inspect_file(walk.files[binaries[i]], options);
    }
  });
  for (const std::size_t i : packages) {
    if (!interrupted()) {
      results[i] = inspect_file(walk.files[i], options);
    }
  }

  Inspection all;
  all.errors = std::move(walk.errors);
  all.files_seen = walk.files.size();
  all.complete = !interrupted();
  for (std::size_t i = 0; i < results.size(); ++i) {
    all.bytes_seen += walk.files[i].size;
    std::ranges::move(results[i].files, std::back_inserter(all.files));
    std::ranges::move(results[i].errors, std::back_inserter(all.errors));
  }
  return all;
}

}  // namespace plumb

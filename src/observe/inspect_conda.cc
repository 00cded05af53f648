// SPDX-License-Identifier: Apache-2.0
#include "observe/inspect_conda.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "binary/conda.h"
#include "observe/file_walk.h"
#include "observe/inspect_package.h"
#include "os/archive_library.h"
#include "os/file.h"
#include "os/interrupt.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxIndex = 4 << 20;

}  // namespace

Inspection inspect_conda(const std::string& path, const Source& source,
                         const InspectOptions& options) {
  Inspection result;
  InspectedFile conda;
  conda.facts.path = path;
  conda.facts.format = Format::conda;
  conda.facts.size = source.size();
  PackageFacts package;
  if (const auto name = parse_conda_name(file_name(path))) {
    package.name = name->name;
    package.version = name->version;
  }
  std::vector<InspectedFile> binaries;
  KeptMemory kept;
  const auto member_error = [&](const std::string& name, Error error) {
    result.errors.push_back({name, path, std::move(error)});
  };
  const auto visit = [&](const std::string& name, const Source& member) -> Result<void> {
    if (interrupted()) {
      return fail(ErrorCode::io, "interrupted");
    }
    package.unpacked_size += member.size();
    if (name == "info/index.json") {
      PLUMB_ASSIGN(const auto bytes, read_range(member, 0, member.size(), kMaxIndex));
      auto index = parse_conda_index(as_text(bytes));
      if (!index) {
        member_error(name, std::move(index).error());
        return {};
      }
      package.name = index->name;
      package.version = index->version;
      package.tags = {index->subdir};
      package.gpu_requires = conda_gpu_requirements(index->depends);
      return {};
    }
    if (is_text_name(name)) {
      return {};
    }
    const ReadMember read_forward = [&member](const std::function<Result<void>(Bytes)>& consume) {
      return read_in_pieces(member, consume);
    };
    auto read = read_package_member(member, read_forward, options);
    if (!read) {
      member_error(name, std::move(read).error());
      return {};
    }
    for (Error& fault : read->faults) {
      member_error(name, std::move(fault));
    }
    if (read->facts) {
      if (auto room = kept.add(*read->facts); !room) {
        member_error(name, std::move(room).error());
        return {};
      }
      read->facts->path = name;
      read->facts->archive = path;
      binaries.push_back({std::move(*read->facts), {}, 0});
    }
    return {};
  };
  auto done = read_conda(source, read_archive, visit, [&](Error fault) {
    result.errors.push_back({path, "", std::move(fault)});
  });
  if (!done) {
    result.errors.push_back({path, "", std::move(done).error()});
  }
  std::ranges::stable_sort(binaries, {}, [](const InspectedFile& file) { return file.facts.path; });
  conda.member_count = static_cast<std::uint32_t>(binaries.size());
  conda.package = std::move(package);
  unite_gpu_code(conda.facts, binaries);
  result.files.push_back(std::move(conda));
  std::ranges::move(binaries, std::back_inserter(result.files));
  return result;
}

}  // namespace plumb

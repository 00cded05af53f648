// SPDX-License-Identifier: Apache-2.0
// A wheel of half a gigabyte unpacks to one and a half. Each member that may be a binary is
// inflated once from front to back, and its GPU code is found in passing; then the headers and
// tables, which lie at both ends, are read through the decoder's saved states. So nothing is
// unpacked to disk, and memory does not grow with the wheel.

#include "observe/inspect_wheel.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "binary/member_source.h"
#include "binary/wheel.h"
#include "observe/file_walk.h"
#include "observe/inspect_package.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/parallel.h"
#include "os/sha256.h"

namespace plumb {
namespace {

// METADATA, WHEEL, RECORD: 2 MB in the largest wheels.
constexpr std::uint64_t kMaxText = 16 << 20;
constexpr unsigned kThreads = 4;  // each holds a decoder and its saved states

/// What one member gave.
struct MemberResult {
  std::optional<InspectedFile> binary;
  std::vector<Error> faults;
  std::optional<MemberDigest> digest;
};

Result<std::string> read_member_text(const Source& archive, const ZipDirectory& directory,
                                     const std::string& name) {
  const ZipEntry* entry = find_member(directory, name);
  if (entry == nullptr) {
    return fail(ErrorCode::not_found, "the wheel has no " + printable(name));
  }
  PLUMB_ASSIGN(const auto member, MemberSource::open(archive, *entry));
  PLUMB_ASSIGN(const auto bytes, read_range(*member, 0, member->size(), kMaxText));
  return std::string(as_text(bytes));
}

bool is_elsewhere(const ZipEntry& entry) {
  return entry.is_folder() || is_text_name(entry.name);
}

/// Inflates the member once: for its digest, for its GPU code, or for both.
Result<MemberResult> read_member(const Source& archive, const ZipEntry& entry,
                                 const InspectOptions& options) {
  MemberResult result;
  PLUMB_ASSIGN(const auto member, MemberSource::open(archive, entry));
  Sha256 hash;
  bool drained = false;
  const ReadMember read_forward = [&](const std::function<Result<void>(Bytes)>& consume) {
    drained = true;
    return member->drain([&](Bytes bytes) {
      if (options.verify) {
        hash.update(bytes);
      }
      return consume(bytes);
    });
  };
  if (!is_text_name(entry.name)) {
    PLUMB_ASSIGN(PackageMember read, read_package_member(*member, read_forward, options));
    result.faults = std::move(read.faults);
    if (read.facts) {
      result.binary = InspectedFile{std::move(*read.facts), {}, 0};
    }
  }
  if (options.verify) {
    if (!drained) {
      PLUMB_TRY(read_forward([](Bytes) -> Result<void> {
        return interrupted() ? fail(ErrorCode::io, "interrupted") : Result<void>();
      }));
    }
    result.digest = MemberDigest{entry.name, hash.finish(), member->size()};
  }
  return result;
}

PackageFacts read_package_facts(const std::string& path, const Source& archive,
                                const ZipDirectory& directory, std::vector<Error>& faults) {
  PackageFacts package;
  const auto name = parse_wheel_name(file_name(path));
  const auto folder = find_dist_info(directory);
  std::optional<WheelMetadata> metadata;
  if (!folder) {
    faults.push_back(folder.error());
  } else {
    const auto note = [&faults](Error error, std::string_view doing) {
      faults.push_back(std::move(error).while_doing(doing));
    };
    auto text = read_member_text(archive, directory, *folder + "/METADATA");
    auto parsed =
        text ? parse_metadata(*text) : Result<WheelMetadata>(std::unexpected(text.error()));
    if (parsed) {
      metadata = std::move(*parsed);
    } else {
      note(std::move(parsed).error(), "reading METADATA");
    }
    text = read_member_text(archive, directory, *folder + "/WHEEL");
    auto wheel = text ? parse_wheel_file(*text) : Result<WheelFile>(std::unexpected(text.error()));
    if (!wheel) {
      note(std::move(wheel).error(), "reading WHEEL");
    } else if (metadata) {
      metadata->tags = std::move(wheel->tags);
    }
  }
  if (metadata) {
    if (name) {
      compare_with_file_name(*metadata, *name);
    } else {
      metadata->warnings.push_back("the file name is not that of a wheel: " + name.error().what);
    }
    package.name = metadata->name;
    package.version = metadata->version;
    package.requires_python = metadata->requires_python;
    package.tags = metadata->tags;
    package.gpu_requires = gpu_requirements(metadata->requires_dist);
    package.warnings = metadata->warnings;
  } else if (name) {
    package.name = name->name;
    package.version = name->version;
  }
  if (package.tags.empty() && name) {
    package.tags = name->tags();
  }
  return package;
}

std::vector<Error> compare_with_record(const Source& archive, const ZipDirectory& directory,
                                       const std::vector<MemberDigest>& digests,
                                       std::uint64_t& agreed) {
  const auto folder = find_dist_info(directory);
  auto text = folder ? read_member_text(archive, directory, *folder + "/RECORD")
                     : Result<std::string>(std::unexpected(folder.error()));
  auto rows =
      text ? parse_record(*text) : Result<std::vector<RecordRow>>(std::unexpected(text.error()));
  if (!rows) {
    return {std::move(rows).error().while_doing("reading RECORD")};
  }
  std::vector<Error> faults = verify_record(*rows, digests);
  const auto at_fault = [&faults](const MemberDigest& digest) {
    return std::ranges::find(faults, digest.path, &Error::where) != faults.end();
  };
  agreed = faults.empty()
               ? digests.size()
               : static_cast<std::uint64_t>(std::ranges::count_if(digests, std::not_fn(at_fault)));
  return faults;
}

}  // namespace

Inspection inspect_wheel(const std::string& path, const Source& source,
                         const InspectOptions& options) {
  Inspection result;
  auto directory = read_zip_directory(source);
  if (!directory) {
    result.errors.push_back({path, "", std::move(directory).error()});
    return result;
  }
  InspectedFile wheel;
  wheel.facts.path = path;
  wheel.facts.format = Format::wheel;
  wheel.facts.size = source.size();
  std::vector<Error> faults;
  wheel.package = read_package_facts(path, source, *directory, faults);

  std::vector<const ZipEntry*> entries;
  for (const ZipEntry& entry : directory->entries) {
    wheel.package->unpacked_size += entry.size;
    if (!entry.is_folder()) {
      entries.push_back(&entry);
    }
  }
  std::ranges::stable_sort(entries, {}, &ZipEntry::name);
  std::vector<std::size_t> order;  // the largest first
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (options.verify || entries[i]->fault || !is_elsewhere(*entries[i])) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&entries](std::size_t i) { return entries[i]->size; });
  std::vector<MemberResult> members(entries.size());
  KeptMemory kept;
  parallel_for(
      order.size(),
      [&](std::size_t i) {
        MemberResult& member = members[order[i]];
        if (interrupted()) {
          return;
        }
        auto read = read_member(source, *entries[order[i]], options);
        if (!read) {
          member.faults.push_back(std::move(read).error());
          return;
        }
        member = std::move(*read);
        if (auto room = member.binary ? kept.add(member.binary->facts) : Result<void>(); !room) {
          member.binary.reset();
          member.faults.push_back(std::move(room).error());
        }
      },
      std::min(kThreads, usable_cores()));

  std::vector<MemberDigest> digests;
  std::vector<InspectedFile> binaries;
  std::vector<InspectError> member_errors;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    MemberResult& member = members[i];
    if (member.binary) {
      member.binary->facts.path = entries[i]->name;
      member.binary->facts.archive = path;
      binaries.push_back(std::move(*member.binary));
    }
    for (Error& fault : member.faults) {
      member_errors.push_back({entries[i]->name, path, std::move(fault)});
    }
    if (member.digest) {
      digests.push_back(std::move(*member.digest));
    }
  }
  if (options.verify && !interrupted()) {
    std::uint64_t agreed = 0;
    for (Error& fault : compare_with_record(source, *directory, digests, agreed)) {
      std::string where = std::exchange(fault.where, "");
      member_errors.push_back(where.empty()
                                  ? InspectError{path, "", std::move(fault)}
                                  : InspectError{std::move(where), path, std::move(fault)});
    }
    wheel.package->verified_members = agreed;
  }
  for (Error& fault : faults) {
    result.errors.push_back({path, "", std::move(fault)});
  }
  std::ranges::move(member_errors, std::back_inserter(result.errors));
  wheel.member_count = static_cast<std::uint32_t>(binaries.size());
  unite_gpu_code(wheel.facts, binaries);
  result.files.push_back(std::move(wheel));
  std::ranges::move(binaries, std::back_inserter(result.files));
  return result;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/inspect_package.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "binary/gpu_search.h"
#include "observe/inspect_conda.h"
#include "observe/inspect_wheel.h"
#include "os/interrupt.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxKept = 64 << 20;
constexpr std::uint64_t kPiece = 256 * 1024;

std::uint64_t memory_of(const BinaryFacts& facts) {
  std::uint64_t bytes = facts.gpu.images.size() * sizeof(GpuImage) +
                        facts.gpu.containers.size() * sizeof(GpuContainer);
  for (const std::vector<std::string>* names : {&facts.needs, &facts.delay_needs, &facts.exports}) {
    for (const std::string& name : *names) {
      bytes += sizeof name + name.size();
    }
  }
  return bytes;
}

}  // namespace

bool is_package_name(std::string_view path) {
  return ends_with_nocase(path, ".whl") || ends_with_nocase(path, ".conda") ||
         ends_with_nocase(path, ".tar.bz2");
}

Inspection inspect_package(const std::string& path, const Source& source,
                           const InspectOptions& options) {
  return ends_with_nocase(path, ".whl") ? inspect_wheel(path, source, options)
                                        : inspect_conda(path, source, options);
}

Result<PackageMember> read_package_member(const Source& member, const ReadMember& read_forward,
                                          const InspectOptions& options) {
  PackageMember result;
  std::array<std::byte, 64> head{};
  const auto first =
      std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(64, member.size())));
  PLUMB_TRY(member.read(0, first));
  const std::optional<Format> format = recognise(first);
  if (!format) {
    return result;
  }
  // Members of a static archive begin at even offsets, not at multiples of 8: those are searched
  // one by one.
  const bool search = *format != Format::ar;
  StreamSearch stream(member.size());
  PLUMB_TRY(read_forward([&](Bytes bytes) -> Result<void> {
    if (interrupted()) {
      return fail(ErrorCode::io, "interrupted");
    }
    if (search) {
      stream.feed(bytes);
    }
    return {};
  }));
  PLUMB_ASSIGN(const GpuCode found, stream.finish());
  auto read = read_binary(
      member,
      {.exports = options.exports, .search = options.search, .found = search ? &found : nullptr});
  if (read) {
    result.facts = std::move(read->facts);
    result.faults = std::move(read->faults);
  } else if (read.error().code != ErrorCode::not_binary) {
    result.faults.push_back(std::move(read).error());
  }
  return result;
}

Result<void> read_in_pieces(const Source& source,
                            const std::function<Result<void>(Bytes)>& consume) {
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < source.size(); at += kPiece) {
    piece.resize(static_cast<std::size_t>(std::min(kPiece, source.size() - at)));
    PLUMB_TRY(source.read(at, piece));
    PLUMB_TRY(consume(piece));
  }
  return {};
}

Result<void> KeptMemory::add(const BinaryFacts& facts) {
  if ((bytes_ += memory_of(facts)) > kMaxKept) {
    return fail(ErrorCode::limit,
                "the package's binaries have more to say than plumb keeps in memory");
  }
  return {};
}

void unite_gpu_code(BinaryFacts& package, std::span<const InspectedFile> members) {
  GpuCode& all = package.gpu;
  for (const InspectedFile& member : members) {
    const GpuCode& code = member.facts.gpu;
    const auto shift = static_cast<std::uint32_t>(all.images.size());
    all.images.insert(all.images.end(), code.images.begin(), code.images.end());
    for (GpuContainer container : code.containers) {
      container.offset = 0;
      container.place = 0;
      container.first_image += shift;
      all.containers.push_back(container);
    }
  }
  if (!all.containers.empty()) {
    all.places = {""};
  }
}

}  // namespace plumb

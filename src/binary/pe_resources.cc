// SPDX-License-Identifier: Apache-2.0
// Resources (directory 2): a tree of exactly three levels, type -> name -> language, whose leaves
// point at the data. Offsets inside the tree count from its start, the leaf's data address is an
// RVA. Levels are walked by number, so a tree that points back into itself ends all the same.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binary/pe_image.h"
#include "binary/pe_version_info.h"
#include "binary/utf16.h"

namespace plumb::pe {
namespace {

constexpr std::uint32_t kVersionType = 16;
constexpr std::uint32_t kManifestType = 24;
constexpr std::uint32_t kHighBit = 0x80000000U;  // of an id: a name; of an offset: another table

struct ResourceEntry {
  std::uint32_t id = 0;
  std::uint32_t offset = 0;
};

Result<std::vector<ResourceEntry>> read_level(PeImage& image, std::uint64_t root,
                                              std::uint32_t offset) {
  constexpr std::uint64_t kHeader = 16;
  constexpr std::uint64_t kEntry = 8;
  PLUMB_ASSIGN(const auto header, image.read(root + offset, kHeader));
  const std::uint64_t count =
      std::uint64_t{load_le<std::uint16_t>(header, 12)} + load_le<std::uint16_t>(header, 14);
  PLUMB_ASSIGN(const auto table, image.read(root + offset + kHeader, kEntry * count));
  std::vector<ResourceEntry> entries(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].id = load_le<std::uint32_t>(table, kEntry * i);
    entries[i].offset = load_le<std::uint32_t>(table, kEntry * i + 4);
  }
  return entries;
}

/// The first of the `wanted` ids that is there, else any entry; null if there is none.
const ResourceEntry* choose(const std::vector<ResourceEntry>& entries,
                            std::span<const std::uint32_t> wanted) {
  for (const std::uint32_t id : wanted) {
    const auto found = std::ranges::find(entries, id, &ResourceEntry::id);
    if (found != entries.end()) {
      return &*found;
    }
  }
  return entries.empty() ? nullptr : &entries.front();
}

/// The bytes of one resource of `type`; empty if the image has none.
Result<std::vector<std::byte>> read_resource(PeImage& image, std::uint32_t type,
                                             std::span<const std::uint32_t> names) {
  constexpr std::array<std::uint32_t, 2> kLanguages{0x0409, 0};  // US English, neutral
  const std::uint64_t root = image.directory(kResourceDirectory).rva;
  if (root == 0) {
    return {};
  }
  PLUMB_ASSIGN(const auto types, read_level(image, root, 0));
  const auto found = std::ranges::find(types, type, &ResourceEntry::id);
  if (found == types.end()) {
    return {};
  }
  std::uint32_t offset = found->offset;
  for (const std::span<const std::uint32_t> wanted :
       {names, std::span<const std::uint32_t>(kLanguages)}) {
    if ((offset & kHighBit) == 0) {
      return fail(ErrorCode::malformed, "the resource tree has fewer than three levels");
    }
    PLUMB_ASSIGN(const auto level, read_level(image, root, offset & ~kHighBit));
    const ResourceEntry* entry = choose(level, wanted);
    if (entry == nullptr) {
      return {};
    }
    offset = entry->offset;
  }
  if ((offset & kHighBit) != 0) {
    return fail(ErrorCode::loop, "the resource tree has more than three levels");
  }
  PLUMB_ASSIGN(const auto leaf, image.read(root + offset, 16));
  const auto size = load_le<std::uint32_t>(leaf, 4);
  if (size > kMaxResource) {
    return fail(ErrorCode::limit, "a resource of " + std::to_string(size) + " bytes");
  }
  return image.read(load_le<std::uint32_t>(leaf, 0), size);
}

}  // namespace

Result<void> read_version_resource(PeImage& image, PeFile& out) {
  constexpr std::array<std::uint32_t, 1> kNames{1};  // VS_VERSION_INFO
  PLUMB_ASSIGN(const auto bytes, read_resource(image, kVersionType, kNames));
  if (bytes.empty()) {
    return {};
  }
  VersionInfo info;
  const Result<void> done = parse_version_info(bytes, info);
  out.file_version = std::move(info.file_version);
  out.product_version = std::move(info.product_version);
  out.version_resource = std::move(info.strings);
  return done;
}

Result<void> read_manifest(PeImage& image, PeFile& out) {
  // 1: of a program, 2: of a DLL that is to be isolated; both may be there.
  constexpr std::array<std::uint32_t, 2> kDll{2, 1};
  constexpr std::array<std::uint32_t, 2> kProgram{1, 2};
  PLUMB_ASSIGN(const auto bytes, read_resource(image, kManifestType, out.is_dll ? kDll : kProgram));
  std::string_view text = as_text(bytes);
  if (text.starts_with("\xff\xfe")) {
    out.manifest = utf8_from_utf16(Bytes(bytes).subspan(2));
    return {};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  out.manifest = text;
  return {};
}

}  // namespace plumb::pe

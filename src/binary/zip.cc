// SPDX-License-Identifier: Apache-2.0
// The zip format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (section numbers
// below are its). An archive is read from its end: the end record (4.3.16) says where the central
// directory lies; with zip64 a locator (4.3.15) before it leads to a wider record (4.3.14). The
// directory's own words count; the local header before each member's bytes must say the same
// (checked when a member is opened, so that listing 15,000 members stays one sequential read).
//
// An archive may stand behind other bytes (a self-extracting program): then all offsets are counted
// from where the archive begins, which is known because the directory ends where the end records
// begin.
//
// What a bomb looks like: members that share bytes (each "unpacks" to gigabytes from the same
// kilobytes), or deflate that unpacks to more than deflate can. Both are seen here, before anything
// is unpacked.
#include "binary/zip.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kEntrySize = 46;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kEnd64Size = 56;
constexpr std::uint64_t kLocator64Size = 20;
constexpr std::uint16_t k16 = 0xffff;  // "see the zip64 field"
constexpr std::uint32_t k32 = 0xffffffff;

// The largest wheels have some 25,000 members; these bounds keep the worst case below 100 MB of
// memory.
constexpr std::uint64_t kMaxEntries = 250'000;
constexpr std::uint64_t kMaxDirectory = 32u << 20;
constexpr std::size_t kMaxName = 4096;
// Deflate makes at most 258 bytes of two bits; 64 is slack for streams of a few bytes.
constexpr std::uint64_t kMaxRatio = 1032;
constexpr std::uint64_t kRatioSlack = 64;
constexpr std::uint64_t kBombSize = 1u << 30;
constexpr std::uint64_t kBombRatio = 200;

struct End {
  std::uint64_t entries = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_offset = 0;  // in the file
  std::uint64_t base = 0;              // bytes before the archive
};

/// Where the end record begins. The last place that fits: its comment reaches exactly to the end of
/// the file.
Result<std::uint64_t> find_end(const Source& archive) {
  const std::uint64_t reach = std::min<std::uint64_t>(archive.size(), kEndSize + k16);
  PLUMB_ASSIGN(const auto tail, read_range(archive, archive.size() - reach, reach, reach));
  bool signature_seen = false;
  for (std::size_t at = tail.size() < kEndSize ? 0 : tail.size() - kEndSize + 1; at-- > 0;) {
    if (load_le<std::uint32_t>(tail, at) == kEndSignature) {
      signature_seen = true;
      if (load_le<std::uint16_t>(tail, at + 20) == tail.size() - at - kEndSize) {
        return archive.size() - reach + at;
      }
    }
  }
  if (signature_seen) {
    return fail(ErrorCode::malformed, "bytes follow the end record of the zip archive");
  }
  PagedReader reader(archive);
  const auto head = reader.read(0, 4);
  if (head && load_le<std::uint32_t>(*head) == kLocalSignature) {
    return fail(ErrorCode::truncated, "the zip archive has no end record: it is cut off");
  }
  return fail(ErrorCode::malformed, "not a zip archive");
}

/// The zip64 end record, if the 20 bytes before the end record are a locator. Where both records
/// give a number, they must agree.
Result<std::optional<End>> read_end64(const Source& archive, std::uint64_t end_offset, Bytes end) {
  if (end_offset < kLocator64Size) {
    return std::nullopt;
  }
  PLUMB_ASSIGN(const auto locator,
               read_range(archive, end_offset - kLocator64Size, kLocator64Size, kLocator64Size));
  if (load_le<std::uint32_t>(locator) != kLocator64Signature) {
    return std::nullopt;
  }
  const std::uint64_t before = end_offset - kLocator64Size;
  const auto stated = load_le<std::uint64_t>(locator, 8);
  for (const std::uint64_t offset :
       {stated, before - std::min(before, kEnd64Size)}) {  // second: behind other bytes
    if (offset < stated || !fits(offset, kEnd64Size, before)) {
      continue;
    }
    PLUMB_ASSIGN(const auto record, read_range(archive, offset, kEnd64Size, kEnd64Size));
    if (load_le<std::uint32_t>(record) != kEnd64Signature) {
      continue;
    }
    End wide;
    wide.base = offset - stated;
    wide.entries = load_le<std::uint64_t>(record, 32);
    wide.directory_size = load_le<std::uint64_t>(record, 40);
    const auto directory_offset = load_le<std::uint64_t>(record, 48);
    if (load_le<std::uint32_t>(record, 16) != 0 || load_le<std::uint32_t>(record, 20) != 0) {
      return fail(ErrorCode::unsupported, "a zip archive split over several files");
    }
    const auto agrees = [](std::uint64_t narrow, std::uint64_t sentinel, std::uint64_t value) {
      return narrow == sentinel || narrow == value;
    };
    if (!agrees(load_le<std::uint16_t>(end, 10), k16, wide.entries) ||
        !agrees(load_le<std::uint32_t>(end, 12), k32, wide.directory_size) ||
        !agrees(load_le<std::uint32_t>(end, 16), k32, directory_offset)) {
      return fail(ErrorCode::malformed, "the zip64 end record disagrees with the end record");
    }
    if (!fits(wide.directory_size, wide.base, offset) ||
        directory_offset != offset - wide.base - wide.directory_size) {
      return fail(ErrorCode::malformed, "the zip directory lies outside the file");
    }
    wide.directory_offset = directory_offset + wide.base;
    return wide;
  }
  return fail(ErrorCode::malformed, "the zip64 end record is not where its locator says");
}

Result<End> read_end(const Source& archive, std::uint64_t end_offset) {
  PLUMB_ASSIGN(const auto record, read_range(archive, end_offset, kEndSize, kEndSize));
  PLUMB_ASSIGN(const auto wide, read_end64(archive, end_offset, record));
  const auto disk = load_le<std::uint16_t>(record, 4);
  const auto directory_disk = load_le<std::uint16_t>(record, 6);
  const bool one_disk = (disk == 0 || (wide && disk == k16)) &&
                        (directory_disk == 0 || (wide && directory_disk == k16));
  if (!one_disk || load_le<std::uint16_t>(record, 8) != load_le<std::uint16_t>(record, 10)) {
    return fail(ErrorCode::unsupported, "a zip archive split over several files");
  }
  if (wide) {
    return *wide;
  }
  End end;
  end.entries = load_le<std::uint16_t>(record, 10);
  end.directory_size = load_le<std::uint32_t>(record, 12);
  const auto stated = load_le<std::uint32_t>(record, 16);
  if (!fits(end.directory_size, stated, end_offset)) {
    return fail(ErrorCode::malformed, "the zip directory lies outside the file");
  }
  end.directory_offset = end_offset - end.directory_size;
  end.base = end.directory_offset - stated;
  return end;
}

std::string method_name(std::uint16_t method) {
  switch (method) {
    case 9:
      return "deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "zstd";
    case 95:
      return "xz";
    default:
      return "method " + std::to_string(method);
  }
}

void set_fault(ZipEntry& entry, ErrorCode code, std::string what) {
  if (!entry.fault) {
    entry.fault = Error{code, std::move(what), {}, {}};
  }
}

/// Replaces sizes and offset that say "see the zip64 field" (4.5.3); false if the field is missing
/// or too short.
bool widen(ZipEntry& entry, Bytes extra) {
  if (entry.size != k32 && entry.compressed_size != k32 && entry.header_offset != k32) {
    return true;
  }
  while (extra.size() >= 4) {
    const auto id = load_le<std::uint16_t>(extra);
    const auto length = load_le<std::uint16_t>(extra, 2);
    extra = extra.subspan(4);
    if (length > extra.size()) {
      return false;
    }
    if (id == 1) {
      Bytes field = extra.first(length);
      for (std::uint64_t* value : {&entry.size, &entry.compressed_size, &entry.header_offset}) {
        if (*value != k32) {
          continue;
        }
        if (field.size() < 8) {
          return false;
        }
        *value = load_le<std::uint64_t>(field);
        field = field.subspan(8);
      }
      return true;
    }
    extra = extra.subspan(length);
  }
  return false;
}

bool lies_inside(const ZipEntry& entry, std::uint64_t directory_offset) {
  const std::uint64_t header = kLocalSize + entry.name.size();
  return fits(entry.header_offset, header, directory_offset) &&
         fits(entry.header_offset + header, entry.compressed_size, directory_offset);
}

/// What the directory alone shows to be wrong with one member.
void judge_entry(ZipEntry& entry, bool widened, const End& end) {
  if (const auto fault = unsafe_member_name(entry.name); !fault.empty()) {
    set_fault(entry, ErrorCode::malformed, "the member's name " + std::string(fault));
  }
  // Flags: bit 0 encrypted, 5 patch data, 6 strong encryption, 13 masked directory; method 99: AES.
  if ((entry.flags & 0x2041) != 0 || entry.method == 99) {
    set_fault(entry, ErrorCode::encrypted, "the member is encrypted");
  }
  if ((entry.flags & 0x20) != 0) {
    set_fault(entry, ErrorCode::unsupported, "the member is a patch, not a file");
  }
  if (entry.method != kZipStored && entry.method != kZipDeflated) {
    set_fault(entry, ErrorCode::unsupported,
              "the member is compressed with " + method_name(entry.method));
  }
  if (!widened) {
    set_fault(entry, ErrorCode::malformed, "the member's zip64 sizes are missing");
  } else if (!lies_inside(entry, end.directory_offset - end.base)) {
    set_fault(entry, ErrorCode::malformed, "the member lies outside the archive");
  } else if (entry.method == kZipStored && entry.size != entry.compressed_size) {
    set_fault(entry, ErrorCode::malformed, "the member is stored, but its two sizes differ");
  } else if (entry.size > kRatioSlack &&
             (entry.size - kRatioSlack) / kMaxRatio > entry.compressed_size) {
    set_fault(entry, ErrorCode::limit,
              "the member claims " + human_bytes(entry.size) + " from " +
                  human_bytes(entry.compressed_size) + ": more than deflate can");
  }
}

Result<std::vector<ZipEntry>> read_entries(const Source& archive, const End& end) {
  if (end.entries > kMaxEntries || end.directory_size > kMaxDirectory) {
    return fail(ErrorCode::limit, "the zip archive lists " + std::to_string(end.entries) +
                                      " members in " + human_bytes(end.directory_size) +
                                      ": more than plumb reads");
  }
  if (end.entries > end.directory_size / kEntrySize) {
    return fail(ErrorCode::malformed, "the zip directory is too small for its " +
                                          std::to_string(end.entries) + " members");
  }
  std::vector<ZipEntry> entries;
  entries.reserve(static_cast<std::size_t>(end.entries));
  const SliceSource directory(archive, end.directory_offset, end.directory_size);
  PagedReader reader(directory);
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < end.entries; ++i) {
    const auto fixed = reader.read(offset, kEntrySize);
    if (!fixed && fixed.error().code != ErrorCode::truncated) {
      return std::unexpected(fixed.error());
    }
    if (!fixed || load_le<std::uint32_t>(*fixed) != kEntrySignature) {
      return fail(ErrorCode::malformed, "the zip directory breaks off after " + std::to_string(i) +
                                            " of " + std::to_string(end.entries) + " members");
    }
    ZipEntry entry;
    entry.flags = load_le<std::uint16_t>(*fixed, 8);
    entry.method = load_le<std::uint16_t>(*fixed, 10);
    entry.crc32 = load_le<std::uint32_t>(*fixed, 16);
    entry.compressed_size = load_le<std::uint32_t>(*fixed, 20);
    entry.size = load_le<std::uint32_t>(*fixed, 24);
    entry.header_offset = load_le<std::uint32_t>(*fixed, 42);
    const std::uint64_t name_length = load_le<std::uint16_t>(*fixed, 28);
    const std::uint64_t extra_length = load_le<std::uint16_t>(*fixed, 30);
    const std::uint64_t comment_length = load_le<std::uint16_t>(*fixed, 32);
    offset += kEntrySize;
    if (!fits(offset, name_length + extra_length + comment_length, end.directory_size)) {
      return fail(ErrorCode::malformed, "the zip directory breaks off within member " +
                                            std::to_string(i + 1) + " of " +
                                            std::to_string(end.entries));
    }
    PLUMB_ASSIGN(const Bytes rest, reader.read(offset, name_length + extra_length));
    entry.name = as_text(rest.first(static_cast<std::size_t>(name_length)));
    const bool widened = widen(entry, rest.subspan(static_cast<std::size_t>(name_length)));
    offset += name_length + extra_length + comment_length;
    judge_entry(entry, widened, end);
    entry.header_offset += end.base;
    entries.push_back(std::move(entry));
  }
  if (offset != end.directory_size) {
    return fail(ErrorCode::malformed, "the zip directory holds more than its " +
                                          std::to_string(end.entries) + " members");
  }
  return entries;
}

/// Sets end_limit, and marks both of two members that share bytes. The local header's extra field
/// is not known here: MemberSource compares the exact end with end_limit.
void find_overlaps(std::vector<ZipEntry>& entries, const End& end) {
  std::vector<ZipEntry*> order;
  for (ZipEntry& entry : entries) {
    if (lies_inside(entry, end.directory_offset)) {
      order.push_back(&entry);
    }
  }
  std::ranges::sort(order, {}, [](const ZipEntry* entry) {
    return std::pair(entry->header_offset, entry);  // ties in directory order
  });
  ZipEntry* longest = nullptr;  // of those before
  std::uint64_t longest_end = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ZipEntry& entry = *order[i];
    entry.end_limit = i + 1 < order.size() ? order[i + 1]->header_offset : end.directory_offset;
    if (longest != nullptr && entry.header_offset < longest_end) {
      for (ZipEntry* member : {longest, &entry}) {
        set_fault(*member, ErrorCode::malformed, "the member shares bytes with another one");
      }
    }
    const std::uint64_t entry_end =
        entry.header_offset + kLocalSize + entry.name.size() + entry.compressed_size;
    if (entry_end >= longest_end) {
      longest = &entry;
      longest_end = entry_end;
    }
  }
}

void find_doubled_names(std::vector<ZipEntry>& entries) {
  std::unordered_map<std::string_view, ZipEntry*> first;
  first.reserve(entries.size());
  for (ZipEntry& entry : entries) {
    const auto [at, fresh] = first.emplace(entry.name, &entry);
    if (!fresh) {
      for (ZipEntry* member : {at->second, &entry}) {
        set_fault(*member, ErrorCode::malformed, "the archive has two members of this name");
      }
    }
  }
}

}  // namespace

std::string_view unsafe_member_name(std::string_view name) {
  if (name.empty()) {
    return "is empty";
  }
  if (name.size() > kMaxName) {
    return "is too long";
  }
  if (name.front() == '/') {
    return "is an absolute path";
  }
  if (name.find('\0') != std::string_view::npos) {
    return "holds a NUL";
  }
  if (name.find('\\') != std::string_view::npos) {
    return "holds a backslash";
  }
  const char letter = static_cast<char>(name.front() | 0x20);
  if (name.size() > 1 && name[1] == ':' && letter >= 'a' && letter <= 'z') {
    return "holds a drive letter";
  }
  for (const std::string_view part : split(name, '/')) {
    if (part == "..") {
      return "leads out of its folder (..)";
    }
  }
  return {};
}

Result<ZipDirectory> read_zip_directory(const Source& archive) {
  PLUMB_ASSIGN(const std::uint64_t end_offset, find_end(archive));
  PLUMB_ASSIGN(const End end, read_end(archive, end_offset));
  ZipDirectory directory;
  PLUMB_ASSIGN(directory.entries, read_entries(archive, end));
  find_overlaps(directory.entries, end);
  find_doubled_names(directory.entries);
  std::uint64_t total = 0;
  for (ZipEntry& entry : directory.entries) {
    if (!entry.fault) {
      total += std::min(entry.size, std::numeric_limits<std::uint64_t>::max() - total);
    } else {
      entry.fault->where = shorten_middle(printable(entry.name), 200);
    }
  }
  if (total > kBombSize && total / kBombRatio > archive.size()) {
    return fail(ErrorCode::limit, "the zip archive of " + human_bytes(archive.size()) +
                                      " would unpack to " + human_bytes(total));
  }
  return directory;
}

const ZipEntry* find_member(const ZipDirectory& directory, std::string_view name) {
  const auto at = std::ranges::find(directory.entries, name, &ZipEntry::name);
  return at == directory.entries.end() ? nullptr : &*at;
}

}  // namespace plumb

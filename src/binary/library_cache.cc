// SPDX-License-Identifier: Apache-2.0
// Layouts: glibc, sysdeps/generic/dl-cache.h. Today's file is "glibc-ld.so.cache1.1": a header of
// 48 bytes, entries of 24 bytes, strings; offsets count from that header. Before 2.32 an old table
// ("ld.so-1.7.0", entries of 12 bytes, offsets from the end of its table) stood in front of it, and
// very old files hold that one alone. Entries of other machines' libraries carry another number in
// bits 8 to 15 of their flags. Entries for one level of CPU (glibc-hwcaps) have bit 62 of the hwcap
// field set and name the level by an index into a list of the extension directory.
#include "binary/library_cache.h"

#include <algorithm>
#include <cstdint>

#include "base/source.h"

namespace plumb {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kOldHeader = 16;
constexpr std::size_t kOldEntry = 12;
constexpr std::size_t kNewHeader = 48;
constexpr std::size_t kNewEntry = 24;
constexpr std::uint32_t kMostEntries = 200'000;
constexpr std::uint32_t kExtensionMagic = 0xeaa42174;
constexpr std::uint32_t kHwcapsTag = 1;
constexpr std::uint32_t kMostLevels = 64;
constexpr std::uint32_t kNamedLevel = 0x40000000;  // bit 62 of the hwcap field, in its upper half

std::string_view text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) {
    return {};
  }
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(offset));
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

Bytes raw(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::uint32_t machine_flag(std::string_view machine) {
  return machine == "aarch64" ? 0x0a00 : 0x0300;
}

/// Names of CPU levels, in the order that entries refer to. Offsets of the extension directory
/// count from the start of the file, those of the names from the new header.
std::vector<std::string> read_levels(std::string_view file, std::string_view cache) {
  std::vector<std::string> levels;
  const std::uint64_t directory = load_le<std::uint32_t>(raw(cache), 32);
  if (directory == 0 || !fits(directory, 8, file.size()) ||
      load_le<std::uint32_t>(raw(file), static_cast<std::size_t>(directory)) != kExtensionMagic) {
    return levels;
  }
  const std::uint64_t sections =
      load_le<std::uint32_t>(raw(file), static_cast<std::size_t>(directory) + 4);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(sections, 16); ++i) {
    const std::uint64_t at = directory + 8 + i * 16;
    if (!fits(at, 16, file.size())) {
      break;
    }
    const Bytes section = raw(file).subspan(static_cast<std::size_t>(at), 16);
    const std::uint64_t offset = load_le<std::uint32_t>(section, 8);
    const std::uint64_t count = load_le<std::uint32_t>(section, 12) / 4;
    if (load_le<std::uint32_t>(section) != kHwcapsTag || count > kMostLevels ||
        !fits(offset, count * 4, file.size())) {
      continue;
    }
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto name = load_le<std::uint32_t>(raw(file), static_cast<std::size_t>(offset + k * 4));
      levels.emplace_back(text_at(cache, name));
    }
  }
  return levels;
}

Result<std::vector<CachedLibrary>> parse_new(std::string_view file, std::string_view cache,
                                             std::uint32_t wanted) {
  if (cache.size() < kNewHeader) {
    return fail(ErrorCode::truncated, "the loader's cache ends in its header");
  }
  constexpr unsigned kBigEndian = 3;
  if ((load_le<std::uint8_t>(raw(cache), 28) & 3U) == kBigEndian) {
    return fail(ErrorCode::unsupported, "the loader's cache was written on a big-endian machine");
  }
  const auto count = load_le<std::uint32_t>(raw(cache), kNewMagic.size());
  if (count > kMostEntries) {
    return fail(ErrorCode::limit, "the loader's cache claims too many entries");
  }
  if (!fits(kNewHeader, std::uint64_t{count} * kNewEntry, cache.size())) {
    return fail(ErrorCode::truncated, "the loader's cache ends in its table");
  }
  const std::vector<std::string> levels = read_levels(file, cache);
  std::vector<CachedLibrary> libraries;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes entry = raw(cache).subspan(kNewHeader + i * kNewEntry, kNewEntry);
    if ((load_le<std::uint32_t>(entry) & 0xff00U) != wanted) {
      continue;
    }
    CachedLibrary library;
    library.name = text_at(cache, load_le<std::uint32_t>(entry, 4));
    library.path = text_at(cache, load_le<std::uint32_t>(entry, 8));
    const auto level = load_le<std::uint32_t>(entry, 16);
    const auto kind = load_le<std::uint32_t>(entry, 20);
    if (kind == kNamedLevel) {
      if (level >= levels.size()) {
        continue;
      }
      library.hwcap = levels[level];
    } else if (kind != 0 || level != 0) {
      continue;  // for CPU features as glibc before 2.33 told them; no longer used
    }
    if (!library.name.empty() && !library.path.empty()) {
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

Result<std::vector<CachedLibrary>> parse_old(std::string_view cache, std::size_t strings,
                                             std::uint32_t wanted) {
  std::vector<CachedLibrary> libraries;
  const std::string_view text = cache.substr(strings);
  for (std::size_t at = kOldHeader; at + kOldEntry <= strings; at += kOldEntry) {
    const Bytes entry = raw(cache).subspan(at, kOldEntry);
    if ((load_le<std::uint32_t>(entry) & 0xff00U) != wanted) {
      continue;
    }
    const std::string_view name = text_at(text, load_le<std::uint32_t>(entry, 4));
    const std::string_view path = text_at(text, load_le<std::uint32_t>(entry, 8));
    if (!name.empty() && !path.empty()) {
      libraries.push_back({std::string(name), std::string(path), {}});
    }
  }
  return libraries;
}

}  // namespace

Result<std::vector<CachedLibrary>> parse_library_cache(std::string_view bytes,
                                                       std::string_view machine) {
  const std::uint32_t wanted = machine_flag(machine);
  if (bytes.starts_with(kNewMagic)) {
    return parse_new(bytes, bytes, wanted);
  }
  if (!bytes.starts_with(kOldMagic)) {
    return fail(ErrorCode::malformed, "is not a loader's cache");
  }
  if (bytes.size() < kOldHeader) {
    return fail(ErrorCode::truncated, "the loader's cache ends in its header");
  }
  const std::uint64_t count = load_le<std::uint32_t>(raw(bytes), 12);
  const std::uint64_t end = kOldHeader + count * kOldEntry;
  if (end > bytes.size()) {
    return fail(ErrorCode::truncated, "the loader's cache ends in its table");
  }
  const auto table_end = static_cast<std::size_t>(end);
  const std::size_t second = (table_end + 7) / 8 * 8;
  if (second < bytes.size() && bytes.substr(second).starts_with(kNewMagic)) {
    return parse_new(bytes, bytes.substr(second), wanted);
  }
  if (count > kMostEntries) {
    return fail(ErrorCode::limit, "the loader's cache claims too many entries");
  }
  return parse_old(bytes, table_end, wanted);
}

std::string find_in_cache(const std::vector<CachedLibrary>& cache, std::string_view name,
                          std::span<const std::string> hwcaps) {
  const CachedLibrary* best = nullptr;
  std::ptrdiff_t best_rank = 0;
  for (const CachedLibrary& library : cache) {
    if (library.name != name) {
      continue;
    }
    const auto rank = library.hwcap.empty()
                          ? std::ssize(hwcaps)
                          : std::ranges::find(hwcaps, library.hwcap) - hwcaps.begin();
    if (!library.hwcap.empty() && rank == std::ssize(hwcaps)) {
      continue;  // for a better CPU than this one
    }
    if (best == nullptr || rank < best_rank) {
      best = &library;
      best_rank = rank;
    }
  }
  return best == nullptr ? std::string{} : best->path;
}

}  // namespace plumb

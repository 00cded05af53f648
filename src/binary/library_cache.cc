// SPDX-License-Identifier: Apache-2.0
// Two layouts are in use (glibc, sysdeps/generic/dl-cache.h). Since 2.32 the file is the new one
// alone: "glibc-ld.so.cache1.1", a header of 48 bytes, entries of 24 bytes, strings; offsets count
// from that header. Before, an old table ("ld.so-1.7.0") stood in front of it. Entries of other
// machines' libraries carry another number in bits 8 to 15 of their flags.
#include "binary/library_cache.h"

#include <algorithm>
#include <span>

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

std::string_view text_at(std::string_view bytes, std::uint32_t offset) {
  if (offset >= bytes.size()) {
    return {};
  }
  const std::string_view rest = bytes.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

}  // namespace

Result<std::vector<CachedLibrary>> parse_library_cache(std::string_view bytes,
                                                       std::string_view machine) {
  if (bytes.starts_with(kOldMagic)) {
    if (bytes.size() < kOldHeader) {
      return fail(ErrorCode::truncated, "the loader's cache ends in its header");
    }
    const auto count = load_le<std::uint32_t>(std::as_bytes(std::span(bytes)), 12);
    const std::uint64_t skip = (kOldHeader + std::uint64_t{count} * kOldEntry + 7) / 8 * 8;
    if (skip > bytes.size()) {
      return fail(ErrorCode::truncated, "the loader's cache ends in its table");
    }
    bytes.remove_prefix(static_cast<std::size_t>(skip));
  }
  if (!bytes.starts_with(kNewMagic) || bytes.size() < kNewHeader) {
    return fail(ErrorCode::malformed, "is not a loader's cache");
  }
  const Bytes raw = std::as_bytes(std::span(bytes));
  const auto count = load_le<std::uint32_t>(raw, kNewMagic.size());
  if (count > kMostEntries) {
    return fail(ErrorCode::limit, "the loader's cache claims too many entries");
  }
  if (!fits(kNewHeader, std::uint64_t{count} * kNewEntry, bytes.size())) {
    return fail(ErrorCode::truncated, "the loader's cache ends in its table");
  }
  const std::uint32_t wanted = machine == "aarch64" ? 0x0a00 : 0x0300;
  std::vector<CachedLibrary> libraries;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes entry = raw.subspan(kNewHeader + i * kNewEntry, kNewEntry);
    if ((load_le<std::uint32_t>(entry) & 0xff00U) != wanted) {
      continue;
    }
    const std::string_view name = text_at(bytes, load_le<std::uint32_t>(entry, 4));
    const std::string_view path = text_at(bytes, load_le<std::uint32_t>(entry, 8));
    if (!name.empty() && !path.empty()) {
      libraries.push_back({std::string(name), std::string(path)});
    }
  }
  return libraries;
}

std::string find_in_cache(const std::vector<CachedLibrary>& cache, std::string_view name) {
  const auto hit = std::ranges::find(cache, name, &CachedLibrary::name);
  return hit == cache.end() ? std::string{} : hit->path;
}

}  // namespace plumb

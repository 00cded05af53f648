// SPDX-License-Identifier: Apache-2.0
#include "binary/api_set.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "binary/utf16.h"

namespace plumb {
namespace {

// Windows 11 24H2 has about 1,000 sets with at most 5 hosts, in 150 kB.
constexpr std::uint32_t kMaxSets = 1U << 14;
constexpr std::uint32_t kMaxHosts = 64;
constexpr std::uint32_t kMaxNameBytes = 1024;
constexpr std::uint64_t kMaxSection = 4U << 20;

constexpr std::uint32_t kVersion81 = 4;
constexpr std::uint32_t kVersion10 = 6;

/// Rows may share their texts, so small sections could promise gigabytes.
constexpr std::uint64_t kMaxKept = 16U << 20;

Result<std::string> text_at(Bytes section, std::uint32_t offset, std::uint32_t length,
                            std::uint64_t& kept) {
  kept += length + 32;
  if (kept > kMaxKept) {
    return fail(ErrorCode::limit, "the API sets have too many names");
  }
  if (length > kMaxNameBytes) {
    return fail(ErrorCode::limit, "an API set's name is longer than 512 characters");
  }
  if (!fits(offset, length, section.size())) {
    return fail(ErrorCode::malformed, "an API set's name lies outside the section");
  }
  return to_lower_ascii(utf8_from_utf16(section.subspan(offset, length)));
}

/// `count` rows of flags, importer and host, 20 bytes each.
Result<std::vector<ApiSetHost>> read_hosts(Bytes section, std::uint64_t offset, std::uint32_t count,
                                           std::uint64_t& kept) {
  constexpr std::uint64_t kRow = 20;
  if (count > kMaxHosts) {
    return fail(ErrorCode::limit, "an API set has " + std::to_string(count) + " hosts");
  }
  if (!fits(offset, kRow * count, section.size())) {
    return fail(ErrorCode::malformed, "an API set's hosts lie outside the section");
  }
  std::vector<ApiSetHost> hosts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Bytes row = section.subspan(offset + kRow * i, kRow);
    ApiSetHost host;
    PLUMB_ASSIGN(host.importer, text_at(section, load_le<std::uint32_t>(row, 4),
                                        load_le<std::uint32_t>(row, 8), kept));
    PLUMB_ASSIGN(host.host, text_at(section, load_le<std::uint32_t>(row, 12),
                                    load_le<std::uint32_t>(row, 16), kept));
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::string_view without_minor_version(std::string_view name) {
  return name.substr(0, name.find_last_of('-'));
}

/// Both versions have rows of 24 bytes; what they lack is where the rows and the hosts begin.
Result<ApiSets> read_sets(Bytes section, std::uint32_t version, std::uint32_t count,
                          std::uint64_t rows) {
  constexpr std::uint64_t kRow = 24;
  if (count > kMaxSets) {
    return fail(ErrorCode::limit, std::to_string(count) + " API sets are too many");
  }
  if (!fits(rows, kRow * count, section.size())) {
    return fail(ErrorCode::malformed, "the API sets do not fit into the section");
  }
  ApiSets sets;
  std::uint64_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Bytes row = section.subspan(rows + kRow * i, kRow);
    PLUMB_ASSIGN(std::string name, text_at(section, load_le<std::uint32_t>(row, 4),
                                           load_le<std::uint32_t>(row, 8), kept));
    std::uint64_t hosts_at = load_le<std::uint32_t>(row, 16);
    std::uint32_t host_count = load_le<std::uint32_t>(row, 20);
    if (version == kVersion81) {
      hosts_at = host_count;  // the last field leads to flags, a count and the rows
      if (!fits(hosts_at, 8, section.size())) {
        return fail(ErrorCode::malformed, "an API set's hosts lie outside the section");
      }
      host_count = load_le<std::uint32_t>(section, hosts_at + 4);
      hosts_at += 8;
      if (!name.starts_with("ext-")) {
        name.insert(0, "api-");  // not stored then
      }
    }
    PLUMB_ASSIGN(auto hosts, read_hosts(section, hosts_at, host_count, kept));
    sets.insert_or_assign(std::string(without_minor_version(name)), std::move(hosts));
  }
  return sets;
}

}  // namespace

bool is_api_set_name(std::string_view name) {
  const std::string start = to_lower_ascii(name.substr(0, 4));
  return start == "api-" || start == "ext-";
}

const std::vector<ApiSetHost>* find_api_set(const ApiSets& sets, std::string_view name) {
  if (!is_api_set_name(name)) {
    return nullptr;
  }
  if (ends_with_nocase(name, ".dll")) {
    name.remove_suffix(4);
  }
  const auto found = sets.find(to_lower_ascii(without_minor_version(name)));
  return found == sets.end() ? nullptr : &found->second;
}

std::string api_set_host(const std::vector<ApiSetHost>& hosts, std::string_view importer) {
  const std::string asker = to_lower_ascii(importer);
  const auto own = std::ranges::find_if(
      hosts, [&](const ApiSetHost& row) { return !row.importer.empty() && row.importer == asker; });
  if (own != hosts.end()) {
    return own->host;
  }
  return hosts.empty() ? "" : hosts.front().host;
}

Result<ApiSets> parse_api_sets(Bytes section) {
  constexpr std::size_t kHeader = 28;
  if (section.size() < kHeader) {
    return fail(ErrorCode::malformed, "the section is too short for API sets");
  }
  const auto version = load_le<std::uint32_t>(section, 0);
  const auto count = load_le<std::uint32_t>(section, 12);
  switch (version) {
    case kVersion10:
      return read_sets(section, version, count, load_le<std::uint32_t>(section, 16));
    case kVersion81:
      return read_sets(section, version, count, 16);
    default:
      return fail(ErrorCode::unsupported,
                  "API sets of version " + std::to_string(version) + " are not known");
  }
}

Result<ApiSets> read_api_sets(const Source& source, const PeFile& file) {
  const auto section = std::ranges::find(file.sections, ".apiset", &PeSection::name);
  if (section == file.sections.end()) {
    return fail(ErrorCode::not_found, "no section .apiset");
  }
  PLUMB_ASSIGN(const auto bytes, read_range(source, section->offset, section->size, kMaxSection));
  return parse_api_sets(bytes);
}

}  // namespace plumb

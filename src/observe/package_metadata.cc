// SPDX-License-Identifier: Apache-2.0
#include "observe/package_metadata.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "binary/wheel.h"
#include "observe/distributions.h"
#include "observe/host.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMetadataStart = 256 << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string metadata_path(const Distribution& distribution) {
  const std::string info = join_path(distribution.site, distribution.info);
  if (ends_with_nocase(distribution.info, ".dist-info")) {
    return join_path(info, "METADATA");
  }
  return is_folder(info) ? join_path(info, "PKG-INFO") : info;
}

/// Up to the last whole character: a file's start may be cut within one.
std::string_view whole_characters(std::string_view text) {
  std::size_t end = text.size();
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end - 1]) & 0xc0U) == 0x80U;
       ++i) {
    --end;
  }
  return end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xc0U ? text.substr(0, end - 1)
                                                                       : text;
}

/// Lower case without leading "v" and separators beside letters; zeros at the end left out.
std::string plain_version(std::string_view text) {
  std::string lower = to_lower_ascii(trim(text));
  if (lower.starts_with('v')) {
    lower.erase(0, 1);
  }
  const std::size_t local = std::min(lower.find('+'), lower.size());
  std::string release = lower.substr(0, local);
  std::string rest = lower.substr(local);
  std::ranges::replace(release, '-', '.');
  std::ranges::replace(release, '_', '.');
  std::ranges::replace(rest, '-', '.');
  std::ranges::replace(rest, '_', '.');
  std::string plain;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t i = 0; i < release.size(); ++i) {
    const bool beside_letter = (i + 1 < release.size() && is_letter(release[i + 1])) ||
                               (i > 0 && is_letter(release[i - 1]));
    if (release[i] != '.' || !beside_letter) {
      plain += release[i];
    }
  }
  while (plain.ends_with(".0")) {
    plain.resize(plain.size() - 2);
  }
  return plain + rest;
}

}  // namespace

bool is_same_version(std::string_view left, std::string_view right) {
  return plain_version(left) == plain_version(right);
}

void examine_metadata(std::string_view text, MetadataReading& reading) {
  const auto fault = [&](MetadataFaultKind kind) {
    reading.faults.push_back({kind, {}, reading.path, {}});
  };
  if (!is_utf8(text.size() < kMetadataStart ? text : whole_characters(text))) {
    fault(MetadataFaultKind::not_utf8);
  }
  if (text.starts_with(kByteOrderMark)) {
    fault(MetadataFaultKind::byte_order_mark);
    text.remove_prefix(kByteOrderMark.size());
  }
  auto metadata = parse_metadata(text);
  if (!metadata) {
    fault(MetadataFaultKind::no_name_or_version);
    reading.name = Fact<std::string>::unreadable(metadata.error(), reading.path);
    reading.version = reading.name;
    return;
  }
  if (!metadata->warnings.empty()) {
    fault(MetadataFaultKind::broken_header);
  }
  reading.name = Fact<std::string>::present(std::move(metadata->name), reading.path);
  reading.version = Fact<std::string>::present(std::move(metadata->version), reading.path);
  reading.requires_dist = std::move(metadata->requires_dist);
}

MetadataReading read_metadata_of(const Distribution& distribution) {
  MetadataReading reading;
  reading.path = metadata_path(distribution);
  const auto text = read_text_start(reading.path, kMetadataStart);
  if (!text) {
    reading.faults.push_back({MetadataFaultKind::unreadable, {}, reading.path, {}});
    reading.name =
        Fact<std::string>::unreadable(Error(text.error()).in(reading.path), reading.path);
    reading.version = reading.name;
  } else {
    examine_metadata(*text, reading);
  }
  const auto info = parse_info_name(distribution.info);
  if (info && reading.name &&
      normalize_project_name(info->name) != normalize_project_name(*reading.name.value)) {
    reading.faults.push_back(
        {MetadataFaultKind::other_name, {}, reading.path, *reading.name.value});
  }
  if (info && reading.version && !is_same_version(info->version, *reading.version.value)) {
    reading.faults.push_back(
        {MetadataFaultKind::other_version, {}, reading.path, *reading.version.value});
  }
  for (MetadataFault& fault : reading.faults) {
    fault.package = distribution.normalized;
  }
  return reading;
}

}  // namespace plumb

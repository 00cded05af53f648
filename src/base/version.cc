// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {

std::optional<Version> Version::parse(std::string_view text) {
  constexpr std::size_t kMaxParts = 8;
  constexpr std::size_t kMaxDigits = 9;
  Version version;
  for (std::string_view rest = text;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    const auto number = parse_decimal(part);
    if (!number || part.size() > kMaxDigits || version.parts_.size() == kMaxParts) {
      return std::nullopt;
    }
    version.parts_.push_back(static_cast<std::uint32_t>(*number));
    if (dot == std::string_view::npos) {
      version.text_ = text;
      return version;
    }
    rest.remove_prefix(dot + 1);
  }
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  const std::size_t parts = std::max(parts_.size(), other.parts_.size());
  for (std::size_t i = 0; i < parts; ++i) {
    if (const auto order = part(i) <=> other.part(i); order != 0) {
      return order;
    }
  }
  return std::strong_ordering::equal;
}

}  // namespace plumb

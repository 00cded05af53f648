// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"

#include "base/text.h"

namespace plumb {

std::optional<ComputeCapability> ComputeCapability::parse(std::string_view text) {
  constexpr std::uint64_t kMost = 99;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const auto major = parse_decimal(text.substr(0, dot));
  const auto minor = parse_decimal(text.substr(dot + 1));
  if (!major || !minor || *major == 0 || *major > kMost || *minor > kMost) {
    return std::nullopt;
  }
  return ComputeCapability{static_cast<std::uint16_t>(*major), static_cast<std::uint16_t>(*minor)};
}

const Catalog& Catalog::builtin() {
  static const Catalog catalog;
  return catalog;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dotted numeric versions (drivers, toolkits, libraries): 580.65.06, 13.0, 9.19.0.56. Kept as
// written, compared by number, so 580.65.06 prints as it is and is newer than 580.65.5. Package
// versions (PEP 440) are not these.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class Version {
 public:
  Version() = default;
  /// Empty unless `text` is digits and dots ("12", "12.8", "535.104.05"), at most 8 parts of at
  /// most 9 digits.
  [[nodiscard]] static std::optional<Version> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::uint32_t part(std::size_t index) const {
    return index < parts_.size() ? parts_[index] : 0;
  }
  [[nodiscard]] std::uint32_t major() const { return part(0); }
  [[nodiscard]] std::uint32_t minor() const { return part(1); }

  /// Missing parts count as zero: 12 == 12.0.
  [[nodiscard]] std::strong_ordering operator<=>(const Version& other) const;
  [[nodiscard]] bool operator==(const Version& other) const { return (*this <=> other) == 0; }

 private:
  std::string text_;
  std::vector<std::uint32_t> parts_;
};

}  // namespace plumb

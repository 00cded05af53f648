// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the rows of one embedded table. The one place that knows that tables are JSON.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace plumb {

/// One row. A field that is absent, null or of another type reads as empty: the schema test, not
/// the program, is where a faulty table is found.
class Row {
 public:
  explicit Row(const void* json) : json_(json) {}
  [[nodiscard]] std::string text(const char* field) const;
  [[nodiscard]] std::vector<std::string> texts(const char* field) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers(const char* field) const;
  [[nodiscard]] std::optional<std::uint32_t> number(const char* field) const;
  [[nodiscard]] bool flag(const char* field) const;
  /// Texts that are no compute capability are left out.
  [[nodiscard]] std::vector<ComputeCapability> capabilities(const char* field) const;

 private:
  const void* json_;
};

void for_each_row(std::string_view table, const std::function<void(const Row&)>& take);

}  // namespace plumb

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

struct RowFields;  // table.cc

/// One row. A field that is absent, null or of another type reads as empty: the schema test, not
/// the program, is where a faulty table is found. Nested objects (`sources`) are not kept.
class Row {
 public:
  explicit Row(const RowFields& fields) : fields_(fields) {}
  [[nodiscard]] std::string text(std::string_view field) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers(std::string_view field) const;
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view field) const;
  [[nodiscard]] bool flag(std::string_view field) const;
  /// Texts that are no compute capability are left out.
  [[nodiscard]] std::vector<ComputeCapability> capabilities(std::string_view field) const;

 private:
  const RowFields& fields_;
};

/// Calls `take` for each of the table's rows; a Row lives no longer than the call.
void for_each_row(std::string_view table, const std::function<void(const Row&)>& take);

}  // namespace plumb

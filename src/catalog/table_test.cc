// SPDX-License-Identifier: Apache-2.0
#include "catalog/table.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(ForEachRow, ReadsFieldsByTheirType) {
  std::vector<std::string> seen;
  for_each_row(R"({"what": "x", "sources": [{"id": "not a row"}],
                   "rows": [{"a": "one", "n": 7, "l": ["p", "q"], "k": [1, 2], "f": true,
                             "deep": {"a": "not this"}, "cc": ["8.9", "nine"]},
                            {"a": null, "l": "text", "n": -1, "f": "true"}]})",
               [&seen](const Row& row) {
                 seen.push_back(row.text("a") + "," + std::to_string(row.texts("l").size()) + "," +
                                std::to_string(row.number("n").value_or(0)) + "," +
                                std::to_string(row.numbers("k").size()) + "," +
                                (row.flag("f") ? "yes" : "no") + "," +
                                std::to_string(row.capabilities("cc").size()) + row.text("gone"));
               });
  EXPECT_EQ(seen, (std::vector<std::string>{"one,2,7,2,yes,1", ",0,0,0,no,0"}));
}

TEST(ForEachRow, FaultyTablesGiveWhatTheyCan) {
  const auto count = [](std::string_view table) {
    int rows = 0;
    for_each_row(table, [&rows](const Row&) { ++rows; });
    return rows;
  };
  EXPECT_EQ(count(""), 0);
  EXPECT_EQ(count("[1, 2]"), 0);
  EXPECT_EQ(count(R"({"rows": 3})"), 0);
  EXPECT_EQ(count(R"({"rows": [[["a"]], [1], "x"]})"), 0);
  EXPECT_EQ(count(R"({"rows": [{"a": 1}, {"a)"), 1);
}

}  // namespace
}  // namespace plumb

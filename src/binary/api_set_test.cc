// SPDX-License-Identifier: Apache-2.0
#include "binary/api_set.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "support/elf_builder.h"

namespace plumb {
namespace {

std::string seed(const std::string& name) {
  std::ifstream file(PLUMB_TESTS_DIR "/../fuzz/corpus/api_set/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<ApiSets> parse(const std::string& bytes) {
  return parse_api_sets(std::as_bytes(std::span(bytes)));
}

TEST(ApiSet, BothSchemasTellTheHost) {
  for (const char* schema : {"schema6", "schema4"}) {
    const auto sets = parse(seed(schema));
    ASSERT_TRUE(sets) << schema << sets.error().what;
    EXPECT_EQ(sets->size(), 3U);
    const auto* file = find_api_set(*sets, "API-MS-Win-Core-File-L1-2-7.dll");
    ASSERT_NE(file, nullptr) << schema;
    EXPECT_EQ(api_set_host(*file, "user32.dll"), "kernelbase.dll");
    EXPECT_EQ(api_set_host(*file, "KernelBase.dll"), "kernel32.dll");
    const auto* none = find_api_set(*sets, "ext-ms-win-none-l1-1-0");
    ASSERT_NE(none, nullptr);
    EXPECT_EQ(api_set_host(*none, "user32.dll"), "");
    EXPECT_EQ(find_api_set(*sets, "api-ms-win-core-file-l1-1-0.dll"), nullptr);
    EXPECT_EQ(find_api_set(*sets, "kernel32.dll"), nullptr);
  }
}

TEST(ApiSet, LyingTablesAreErrors) {
  EXPECT_EQ(parse("").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse(seed("schema2")).error().code, ErrorCode::unsupported);
  EXPECT_EQ(parse(seed("host_limit")).error().code, ErrorCode::limit);
  std::string many = seed("schema6");
  test::poke(many, 12, 0xffffffff, 4);
  EXPECT_EQ(parse(many).error().code, ErrorCode::limit);
  std::string nowhere = seed("schema6");
  test::poke(nowhere, 28 + 4, 0xfffffff0, 4);
  EXPECT_EQ(parse(nowhere).error().code, ErrorCode::malformed);
  EXPECT_FALSE(parse(seed("schema6").substr(0, 120)));
}

}  // namespace
}  // namespace plumb

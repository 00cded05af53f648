// SPDX-License-Identifier: Apache-2.0
#include "binary/pe_export_table.h"

#include <gtest/gtest.h>

#include <string>

#include "support/elf_builder.h"
#include "support/pe_builder.h"

namespace plumb {
namespace {

using test::build_pe;
using test::PeDescription;

Result<PeExportTable> table_of(const std::string& bytes) {
  const MemorySource source{std::string_view(bytes)};
  const auto file = read_pe(source, {});
  return file ? PeExportTable::read(source, *file)
              : Result<PeExportTable>(std::unexpected(file.error()));
}

PeDescription some_exports() {
  return {.dll_name = "x.dll",
          .export_base = 10,
          .exports = {{.name = "zeta"},
                      {.name = "alpha", .forwarder = "NTDLL.RtlX"},
                      test::kExportHole,
                      {.name = ""},
                      {.name = "Mid"}}};
}

TEST(PeExportTable, FindsByNameByHintAndByOrdinal) {
  const auto table = table_of(build_pe(some_exports()).bytes);
  ASSERT_TRUE(table) << table.error().what;
  ASSERT_TRUE(table->find("zeta"));
  EXPECT_EQ(table->find("zeta")->ordinal, 10U);
  EXPECT_EQ(table->find("zeta", 9999)->ordinal, 10U);  // a wrong hint does not matter
  EXPECT_EQ(table->find("alpha")->forwarder, "NTDLL.RtlX");
  EXPECT_FALSE(table->find("mid"));
  EXPECT_TRUE(table->find_ordinal(13));
  EXPECT_FALSE(table->find_ordinal(12));  // a hole
  EXPECT_FALSE(table->find_ordinal(9));
  EXPECT_FALSE(table->find_ordinal(15));
}

TEST(PeExportTable, ADllWithoutExportsHasNone) {
  const auto table = table_of(build_pe({}).bytes);
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->find("f"));
}

TEST(PeExportTable, LyingTablesAreErrorsOrMissing) {
  test::PeBytes pe = build_pe(some_exports());
  std::string many = pe.bytes;
  test::poke(many, pe.at.at("exports") + 24, 0x7fffffff, 4);
  EXPECT_EQ(table_of(many).error().code, ErrorCode::limit);
  std::string nowhere = pe.bytes;
  test::poke(nowhere, pe.at.at("exports") + 32, 0x7ffffff0, 4);
  EXPECT_FALSE(table_of(nowhere));
  std::string index = pe.bytes;
  test::poke(index, pe.at.at("export_ordinals"), 0xffff, 2);
  test::poke(index, pe.at.at("export_ordinals") + 2, 0xffff, 2);
  test::poke(index, pe.at.at("export_ordinals") + 4, 0xffff, 2);
  ASSERT_TRUE(table_of(index));
  EXPECT_FALSE(table_of(index)->find("zeta"));
}

TEST(PeExportTable, ForwardersName) {
  EXPECT_EQ(parse_forwarder("NTDLL.#12")->ordinal, 12);
  EXPECT_EQ(parse_forwarder("NTDLL.RtlX")->module, "NTDLL.dll");
  EXPECT_EQ(parse_forwarder("a.drv.f")->module, "a.drv");
  EXPECT_EQ(parse_forwarder("api-ms-win-core-heap-l1-1-0.HeapAlloc")->name, "HeapAlloc");
  for (const char* broken : {"", ".", "f", "a.", ".f", "a.#", "a.#70000", "a.#x"}) {
    EXPECT_FALSE(parse_forwarder(broken)) << broken;
  }
}

}  // namespace
}  // namespace plumb

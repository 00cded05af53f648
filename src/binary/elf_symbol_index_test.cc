// SPDX-License-Identifier: Apache-2.0
// Real libraries with versions, in both hash tables: tests/real/symbols.
#include "binary/elf_symbol_index.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/elf_builder.h"
#include "support/test_files.h"

namespace plumb {
namespace {

ElfSymbolIndex index_of(std::span<const std::byte> bytes) {
  const MemorySource source(bytes);
  const auto elf = read_elf(source, {.exports = ExportDetail::none});
  EXPECT_TRUE(elf);
  auto index = ElfSymbolIndex::read(source, *elf);
  EXPECT_TRUE(index);
  return *std::move(index);
}

bool defines(const ElfSymbolIndex& index, std::string_view name, const char* version = nullptr) {
  const ElfVersion wanted{version == nullptr ? "" : version, false, false, false, {}};
  return index.defines(ElfWantedSymbol::of(name, version == nullptr ? nullptr : &wanted));
}

class BothTables : public testing::TestWithParam<const char*> {};

TEST_P(BothTables, SymbolsAreFoundByVersion) {
  const auto bytes = test::read_test_file(GetParam());
  const ElfSymbolIndex index = index_of(bytes);
  EXPECT_TRUE(defines(index, "answer", "V_1"));
  EXPECT_TRUE(defines(index, "answer", "V_2"));
  EXPECT_FALSE(defines(index, "answer", "V_3"));
  EXPECT_TRUE(defines(index, "answer"));  // no version asked for: the oldest, as glibc does
  EXPECT_TRUE(defines(index, "plain", "V_1"));
  EXPECT_FALSE(defines(index, "plain", "V_2"));
  EXPECT_TRUE(defines(index, "weak_one"));
  EXPECT_TRUE(defines(index, "local_to_thread"));  // its value is 0
  EXPECT_FALSE(defines(index, "hidden_one"));
  EXPECT_FALSE(defines(index, "wanted"));  // used, not defined
  EXPECT_FALSE(defines(index, "answe"));
  EXPECT_FALSE(defines(index, ""));
}

TEST_P(BothTables, WhatOthersMustDefine) {
  const auto bytes = test::read_test_file(GetParam());
  const ElfSymbolIndex index = index_of(bytes);
  std::string list;
  const auto undefined = index.undefined();
  ASSERT_TRUE(undefined);
  for (const ElfUndefinedSymbol& symbol : *undefined) {
    list += std::string(symbol.wanted.name) + (symbol.weak ? " weak, " : ", ");
  }
  EXPECT_TRUE(list == "wanted, maybe weak, " || list == "maybe weak, wanted, ") << list;
}

INSTANTIATE_TEST_SUITE_P(ElfSymbolIndex, BothTables,
                         testing::Values("real/symbols/gnu.so", "real/symbols/sysv.so"));

TEST(ElfSymbolIndex, AnObjectWithoutVersionsServesEveryVersion) {
  const auto bytes = test::read_test_file("real/symbols/plain.so");
  EXPECT_TRUE(defines(index_of(bytes), "answer", "V_2"));
}

TEST(ElfSymbolIndex, ANeedNamesItsVersionAndLibrary) {
  const auto bytes = test::read_test_file("real/symbols/use.so");
  const ElfSymbolIndex index = index_of(bytes);
  const auto undefined = index.undefined();
  ASSERT_TRUE(undefined && undefined->size() == 1U);
  ASSERT_NE(undefined->front().wanted.version, nullptr);
  EXPECT_EQ(undefined->front().wanted.version->name, "V_2");
  EXPECT_EQ(undefined->front().wanted.version->library, "libanswer.so");
  const MemorySource source(bytes);
  const auto relocated = ElfSymbolIndex::relocated(source, *read_elf(source, {}));
  ASSERT_TRUE(relocated);
  EXPECT_TRUE(relocated->contains(undefined->front().index));
}

TEST(ElfSymbolIndex, EveryCutIsAnErrorOrASmallerTable) {
  const auto whole = test::read_test_file("real/symbols/gnu.so");
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const MemorySource source(Bytes(whole).first(length));
    const auto elf = read_elf(source, {.exports = ExportDetail::none});
    if (elf) {
      const auto index = ElfSymbolIndex::read(source, *elf);
      EXPECT_FALSE(index && defines(*index, "wanted"));
    }
  }
}

TEST(ElfSymbolIndex, AMillionSymbolsCostOnePass) {
  test::ElfSpec spec;
  spec.symbol_count = test::ElfSymbolCount::gnu_hash;
  for (int i = 0; i < 1'000'000; ++i) {
    spec.symbols.push_back({.name = "f" + std::to_string(i), .defined = false});
  }
  const test::ElfImage image = test::build_elf(spec);
  const auto bytes = test::bytes_of(image.bytes);
  const ElfSymbolIndex index = index_of(bytes);
  const auto undefined = index.undefined();
  ASSERT_TRUE(undefined);
  EXPECT_LE(undefined->size(), 1'000'000U);
  EXPECT_FALSE(defines(index, "f999999"));
}

TEST(ElfSymbolIndex, SymbolsThatShareOneLongNameAreNotHashedEachAnew) {
  test::ElfSpec spec;
  spec.symbol_count = test::ElfSymbolCount::sysv_hash;
  spec.symbols.push_back({.name = std::string(60 << 10, 'A'), .defined = false});
  for (int i = 0; i < 20'000; ++i) {
    spec.symbols.push_back({.name = "f", .defined = false});
  }
  test::ElfImage image = test::build_elf(spec);
  const std::size_t symbols = image.at.at("dynsym");
  std::uint32_t name = 0;
  std::memcpy(&name, image.bytes.data() + symbols + 24, sizeof name);
  for (std::uint32_t i = 2; i <= 20'001; ++i) {
    test::poke(image.bytes, symbols + std::size_t{24} * i, name + i, 4);
  }
  const auto undefined = index_of(test::bytes_of(image.bytes)).undefined();
  ASSERT_FALSE(undefined);
  EXPECT_EQ(undefined.error().code, ErrorCode::limit);
}

}  // namespace
}  // namespace plumb

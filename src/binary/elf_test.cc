// SPDX-License-Identifier: Apache-2.0
#include "binary/elf.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/elf_builder.h"

namespace plumb {
namespace {

using test::build_elf;
using test::ElfImage;
using test::ElfSpec;
using test::ElfSymbolCount;
using test::poke;
using Names = std::vector<std::string>;

Result<ElfFile> read(const std::string& bytes, ExportDetail detail = ExportDetail::names) {
  return read_elf(MemorySource(std::string_view(bytes)), {.exports = detail});
}

std::string code_of(const std::string& bytes) {
  const auto elf = read(bytes);
  return elf ? "" : std::string(error_code_name(elf.error().code));
}

/// "while doing: code" of each fault.
Names faults_of(const ElfFile& elf) {
  Names names;
  for (const Error& fault : elf.faults) {
    names.push_back(fault.what.substr(0, fault.what.find(':')) + ": " +
                    std::string(error_code_name(fault.code)));
  }
  return names;
}

ElfSpec library() {
  ElfSpec spec;
  spec.soname = "libdemo.so.2";
  spec.runpath = "$ORIGIN/../lib";
  spec.needed = {"libz.so.1", "libc.so.6"};
  spec.symbols = {{.name = "zlibVersion", .defined = false},
                  {.name = "memcpy", .version = "GLIBC_2.14", .defined = false},
                  {.name = "demo_open", .version = "DEMO_2"},
                  {.name = "demo_open", .version = "DEMO_1", .default_version = false},
                  {.name = "plain"}};
  spec.version_definitions = {"DEMO_1", "DEMO_2"};
  spec.version_needs = {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.14", "GLIBC_PRIVATE"}},
                        {"libm.so.6", {"GLIBC_2.9"}}};
  spec.build_id = std::string("\x12\xab\x00\xff", 4);
  return spec;
}

TEST(Elf, SaysWhatTheLoaderWouldUseInEveryClassAndByteOrder) {
  for (const bool is64 : {true, false}) {
    for (const bool big_endian : {false, true}) {
      ElfSpec spec = library();
      spec.is64 = is64;
      spec.big_endian = big_endian;
      spec.rpath = "/opt/lib";
      spec.interpreter = "/lib/ld.so.1";
      const auto elf = read(build_elf(spec).bytes);
      ASSERT_TRUE(elf) << elf.error().what;
      EXPECT_EQ(elf->is64, is64);
      EXPECT_EQ(elf->big_endian, big_endian);
      EXPECT_EQ(elf->type, 3);
      EXPECT_EQ(elf->machine, is64 ? "x86_64" : "x32");
      EXPECT_EQ(elf->soname, "libdemo.so.2");
      EXPECT_EQ(elf->rpath, "/opt/lib");
      EXPECT_EQ(elf->runpath, "$ORIGIN/../lib");
      EXPECT_EQ(elf->interpreter, "/lib/ld.so.1");
      EXPECT_EQ(elf->needed, (Names{"libz.so.1", "libc.so.6"}));
      EXPECT_EQ(elf->glibc_min, "2.14");
      EXPECT_EQ(elf->build_id, "12ab00ff");
      EXPECT_EQ(elf->export_count, 3u);
      EXPECT_EQ(elf->exports, (Names{"demo_open@@DEMO_2", "demo_open@DEMO_1", "plain"}));
      EXPECT_EQ(faults_of(*elf), Names{});
    }
  }
}

TEST(Elf, NamesOfMachines) {
  const auto machine = [](std::uint16_t id, bool big_endian = false) {
    return read(build_elf({.big_endian = big_endian, .machine = id}).bytes)->machine;
  };
  EXPECT_EQ(machine(183), "aarch64");
  EXPECT_EQ(machine(190), "cuda");
  EXPECT_EQ(machine(21), "ppc64le");
  EXPECT_EQ(machine(21, true), "ppc64");
  EXPECT_EQ(machine(999), "machine 999");
}

TEST(Elf, ExportsAreDefinedVisibleAndNotLocal) {
  ElfSpec spec;
  spec.symbols = {{.name = "local", .binding = 0},
                  {.name = "weak", .binding = 2},
                  {.name = "unique", .binding = 10, .type = 1},
                  {.name = "hidden", .visibility = 2},
                  {.name = "internal", .visibility = 1},
                  {.name = "protected", .visibility = 3},
                  {.name = "section", .type = 3},
                  {.name = "missing", .defined = false}};
  const auto elf = read(build_elf(spec).bytes);
  EXPECT_EQ(elf->exports, (Names{"weak", "unique", "protected"}));
  const auto counted = read(build_elf(spec).bytes, ExportDetail::count);
  EXPECT_EQ(counted->export_count, 3u);
  EXPECT_EQ(counted->exports, Names{});
}

TEST(Elf, VersionsOfExportsAreWrittenAsBinutilsDoes) {
  ElfSpec spec;
  spec.version_definitions = {"DEMO_1"};
  spec.version_needs = {{"libc.so.6", {"GLIBC_2.2.5"}}};
  spec.symbols = {{.name = "open", .version = "DEMO_1"},
                  {.name = "DEMO_1", .version = "DEMO_1"},
                  {.name = "stdout", .version = "GLIBC_2.2.5"}};
  EXPECT_EQ(read(build_elf(spec).bytes)->exports,
            (Names{"open@@DEMO_1", "DEMO_1", "stdout@GLIBC_2.2.5"}));
}

TEST(Elf, CountsSymbolsWithoutASectionForThem) {
  for (const ElfSymbolCount way : {ElfSymbolCount::sysv_hash, ElfSymbolCount::gnu_hash}) {
    for (const bool is64 : {true, false}) {
      ElfSpec spec = library();
      spec.is64 = is64;
      spec.section_headers = false;
      spec.symbol_count = way;
      const auto elf = read(build_elf(spec).bytes);
      EXPECT_EQ(elf->exports, (Names{"demo_open@@DEMO_2", "demo_open@DEMO_1", "plain"}));
      EXPECT_EQ(elf->needed.size(), 2u);
      EXPECT_EQ(elf->soname, "libdemo.so.2");
      EXPECT_TRUE(elf->sections.empty());
      EXPECT_EQ(faults_of(*elf), Names{});
    }
  }
}

TEST(Elf, LowestGlibc) {
  const auto floor = [](const Names& versions) {
    ElfSpec spec;
    spec.needed = {"libc.so.6"};
    spec.version_needs = {{"libc.so.6", versions}};
    return read(build_elf(spec).bytes)->glibc_min;
  };
  EXPECT_EQ(floor({"GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.4"}), "2.34");
  EXPECT_EQ(floor({"GLIBC_2.17", "GLIBC_ABI_DT_RELR"}), "2.36");
  EXPECT_EQ(floor({"GLIBC_PRIVATE"}), std::nullopt);
  EXPECT_EQ(read(build_elf({.needed = {"libc.so.6"}}).bytes)->glibc_min, std::nullopt);
}

TEST(Elf, SectionsWithTheirNames) {
  ElfSpec spec = library();
  spec.sections = {{".nv_fatbin", "12345678"}, {".text", "abc", 6}};
  const ElfImage image = build_elf(spec);
  const auto elf = read(image.bytes);
  const ElfSection* section = elf->find_section(".nv_fatbin");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(section->offset, image.at.at(".nv_fatbin"));
  EXPECT_EQ(section->size, 8u);
  EXPECT_TRUE(section->allocated() && !section->executable());
  EXPECT_TRUE(elf->find_section(".text")->executable());
  EXPECT_EQ(elf->find_section(".data"), nullptr);
  EXPECT_EQ(elf->sections.size(), image.section_count);
}

TEST(Elf, MoreSectionsThanTheHeaderCanSay) {
  for (const bool is64 : {true, false}) {
    const ElfImage image = build_elf(
        {.is64 = is64, .sections = {{".nv_fatbin", "12345678"}}, .count_in_section_zero = true});
    const auto elf = read(image.bytes);
    ASSERT_TRUE(elf);
    EXPECT_EQ(elf->sections.size(), image.section_count);
    EXPECT_NE(elf->find_section(".nv_fatbin"), nullptr);
  }
}

// ---- Bad input: what the loader would use stands as far as it can be read.

TEST(Elf, NoElfOrNothingLeftOfIt) {
  EXPECT_EQ(code_of(""), "truncated");
  EXPECT_EQ(code_of("\x7f"
                    "ELF"),
            "truncated");
  EXPECT_EQ(code_of(std::string(64, 'x')), "not_binary");
  std::string bytes = build_elf(library()).bytes;
  EXPECT_EQ(code_of(bytes.substr(0, 60)), "truncated");
  poke(bytes, 4, 3, 1);
  EXPECT_EQ(code_of(bytes), "malformed");
  bytes = build_elf(library()).bytes;
  poke(bytes, 5, 0, 1);
  EXPECT_EQ(code_of(bytes), "malformed");
  bytes = build_elf(library()).bytes;
  poke(bytes, 54, 57, 2);  // e_phentsize
  EXPECT_EQ(code_of(bytes), "malformed");
}

void expect_loader_facts(const ElfFile& elf) {
  EXPECT_EQ(elf.needed, (Names{"libz.so.1", "libc.so.6"}));
  EXPECT_EQ(elf.glibc_min, "2.14");
}

TEST(Elf, SectionTablesThatLie) {
  const auto lying = [](std::size_t offset, std::uint64_t value, std::size_t width) {
    ElfImage image = build_elf(library());
    poke(image.bytes, offset, value, width);
    auto elf = read(image.bytes);
    EXPECT_TRUE(elf);
    expect_loader_facts(*elf);
    return faults_of(*elf);
  };
  const Names truncated = {"reading the section table: truncated"};
  const Names malformed = {"reading the section table: malformed"};
  EXPECT_EQ(lying(40, 1 << 30, 8), truncated) << "the table past the end";
  EXPECT_EQ(lying(40, ~std::uint64_t{0}, 8), truncated);
  EXPECT_EQ(lying(60, 60'000, 2), truncated) << "more sections than bytes";
  EXPECT_EQ(lying(58, 65, 2), malformed) << "entries of another size";
  EXPECT_EQ(lying(62, 500, 2), malformed) << "names in no section";
  const std::size_t names = build_elf(library()).at.at("shdr") + 64 * 8;  // dynamic and shstrtab
  EXPECT_EQ(lying(names + 24, 1 << 30, 8), truncated) << "the names past the end";
  EXPECT_EQ(lying(names + 32, ~std::uint64_t{0}, 8), truncated);
}

TEST(Elf, AMillionSections) {
  ElfSpec spec = library();
  spec.count_in_section_zero = true;
  ElfImage image = build_elf(spec);
  poke(image.bytes, image.at.at("shdr") + 32, 1'000'000, 8);
  auto elf = read(image.bytes);
  ASSERT_TRUE(elf);
  EXPECT_EQ(faults_of(*elf), Names{"reading the section table: limit"});
  expect_loader_facts(*elf);
  poke(image.bytes, image.at.at("shdr") + 32, ~std::uint64_t{0}, 8);
  elf = read(image.bytes);
  EXPECT_EQ(faults_of(*elf), Names{"reading the section table: limit"});
}

TEST(Elf, SectionsThatEndPastTheFileOrOverlapAreListedAsTheyAre) {
  ElfSpec spec;
  spec.sections = {{".a", "12345678"}, {".b", "12345678"}};
  ElfImage image = build_elf(spec);
  const std::size_t a = image.at.at("shdr") + 64;
  poke(image.bytes, a + 32, 1 << 30, 8);
  poke(image.bytes, a + 64 + 24, image.at.at(".a") + 4, 8);
  const auto elf = read(image.bytes);
  EXPECT_EQ(faults_of(*elf), Names{});
  EXPECT_EQ(elf->find_section(".a")->size, 1u << 30);
  EXPECT_EQ(elf->find_section(".b")->offset, image.at.at(".a") + 4);
}

TEST(Elf, VersionListsThatDoNotEnd) {
  ElfImage image = build_elf(library());
  poke(image.bytes, image.at.at("verneed") + 12, 0xffffffff, 4);  // the next need: past the end
  auto elf = read(image.bytes);
  EXPECT_EQ(faults_of(*elf), Names{"reading the symbol versions: truncated"});
  EXPECT_EQ(elf->export_count, 3u) << "symbols are there without their versions";
  EXPECT_EQ(elf->glibc_min, "2.14") << "and so is what was read before";

  ElfSpec spec = library();
  spec.version_needs = {{"libc.so.6", Names(40'000, "GLIBC_2.17")}};
  spec.symbols[1].version = "";
  elf = read(build_elf(spec).bytes);
  EXPECT_EQ(faults_of(*elf), Names{"reading the symbol versions: loop"});

  image = build_elf(library());
  poke(image.bytes, image.at.at("verdef") + 16, 1, 4);  // the next definition: inside this one
  elf = read(image.bytes);
  EXPECT_EQ(elf->export_count, 3u);
}

TEST(Elf, NamesThatWouldTakeGigabytes) {
  ElfSpec spec = library();
  spec.needed = Names(200, std::string(60'000, 'n'));
  auto elf = read(build_elf(spec).bytes);
  ASSERT_TRUE(elf);
  EXPECT_EQ(faults_of(*elf), Names{"reading the dynamic section: limit"});
  EXPECT_LT(elf->needed.size(), 100u);

  spec = library();
  spec.symbols.assign(1'100, {.name = std::string(64'000, 's')});
  elf = read(build_elf(spec).bytes);
  ASSERT_TRUE(elf);
  EXPECT_EQ(faults_of(*elf), Names{"reading the dynamic symbols: limit"});
  EXPECT_EQ(elf->export_count, 1'100u);
  EXPECT_LT(elf->exports.size(), 1'049u) << "64 MB of names";
}

TEST(Elf, TablesInNoSegment) {
  const auto lying = [](std::string_view tag_of, std::uint64_t address) {
    ElfImage image = build_elf(library());
    const std::size_t dynamic = image.at.at("dynamic");
    const std::uint64_t old = test::kElfBase + image.at.at(std::string(tag_of));
    for (std::size_t at = dynamic; at + 16 <= image.bytes.size(); at += 16) {
      if (load_le<std::uint64_t>(std::as_bytes(std::span(image.bytes)), at + 8) == old) {
        poke(image.bytes, at + 8, address, 8);
        break;
      }
    }
    return faults_of(*read(image.bytes));
  };
  EXPECT_EQ(lying("dynstr", 0x10), (Names{"reading the dynamic section: malformed",
                                          "reading the dynamic symbols: malformed"}));
  EXPECT_EQ(lying("dynsym", ~std::uint64_t{0}), Names{"reading the dynamic symbols: malformed"});
}

TEST(Elf, EveryCutAndEveryDamagedByteIsSurvived) {
  for (const bool is64 : {true, false}) {
    ElfSpec spec = library();
    spec.is64 = is64;
    spec.symbol_count = ElfSymbolCount::gnu_hash;
    spec.interpreter = "/lib/ld.so";
    const std::string whole = build_elf(spec).bytes;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto elf = read(whole.substr(0, size));
      EXPECT_TRUE(!elf || !elf->faults.empty()) << "cut to " << size;
    }
    std::string bytes = whole;
    for (char& byte : bytes) {
      const char kept = byte;
      for (const int damage : {0xff, 0x80, 0x01}) {
        byte = static_cast<char>(kept ^ damage);
        const auto elf = read(bytes);
        EXPECT_TRUE(!elf || elf->exports.size() <= 5);
      }
      byte = kept;
    }
  }
}

TEST(Elf, FindsSymbolsByName) {
  ElfSpec spec = library();
  spec.symbols.push_back({.name = "cudaRuntimeGetVersion", .value = 0x4321, .size = 40});
  const ElfImage image = build_elf(spec);
  const MemorySource source{std::string_view(image.bytes)};
  const auto elf = read_elf(source, {});
  constexpr std::array<std::string_view, 5> kNames = {"cudaRuntimeGetVersion", "memcpy", "cudaRun",
                                                      "cudaRuntimeGetVersion2", ""};
  const auto hits = find_elf_symbols(source, *elf, kNames);
  ASSERT_TRUE(hits);
  ASSERT_TRUE((*hits)[0]);
  EXPECT_TRUE((*hits)[0]->defined);
  EXPECT_EQ((*hits)[0]->address, 0x4321u);
  EXPECT_EQ((*hits)[0]->size, 40u);
  ASSERT_TRUE((*hits)[1]);
  EXPECT_FALSE((*hits)[1]->defined);
  EXPECT_FALSE((*hits)[2]);
  EXPECT_FALSE((*hits)[3]);
  EXPECT_EQ(elf->offset_of_address(test::kElfBase + 5), 5u);
  EXPECT_EQ(elf->offset_of_address(5), std::nullopt);
}

}  // namespace
}  // namespace plumb

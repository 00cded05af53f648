// SPDX-License-Identifier: Apache-2.0
#include "binary/cubin.h"

#include <gtest/gtest.h>

#include <string>

#include "support/elf_builder.h"

namespace plumb {
namespace {

using test::build_cubin;
using test::CubinSpec;
using test::poke;

/// "sm_90a 13.0 code", or the error's code.
std::string describe(const std::string& bytes) {
  const auto facts = read_cubin(MemorySource(std::string_view(bytes)));
  if (!facts) {
    return std::string(error_code_name(facts.error().code));
  }
  const CubinHeader& header = facts->header;
  return target_name(ImageKind::cubin, header.target) + " " + std::to_string(header.toolkit) +
         (facts->has_code ? " code" : " empty");
}

TEST(Cubin, BothLayoutsOfTheHeader) {
  EXPECT_EQ(describe(build_cubin({.sm = 80, .toolkit = 118, .abi = 7})), "sm_80 118 code");
  EXPECT_EQ(describe(build_cubin({.sm = 90, .toolkit = 128, .abi = 7, .arch_specific = true})),
            "sm_90a 128 code");
  EXPECT_EQ(describe(build_cubin({.sm = 75, .toolkit = 130})), "sm_75 130 code");
  EXPECT_EQ(describe(build_cubin({.sm = 120, .toolkit = 129, .arch_specific = true})),
            "sm_120a 129 code");
}

// CUDA 13 leaves the header's bit out; the options that ptxas was run with tell.
TEST(Cubin, TheNoteOfOptionsTellsTheSuffix) {
  EXPECT_EQ(describe(build_cubin({.sm = 90, .option = "ptxas -arch sm_90a -m 64"})),
            "sm_90a 130 code");
  EXPECT_EQ(describe(build_cubin({.sm = 100, .option = "-arch sm_100f"})), "sm_100f 130 code");
  EXPECT_EQ(describe(build_cubin({.sm = 90, .option = "-arch sm_90 -m 64"})), "sm_90 130 code");
  EXPECT_EQ(describe(build_cubin({.sm = 90, .option = "-arch sm_100a"})), "sm_90 130 code");
}

TEST(Cubin, WithoutAKernelItIsEmpty) {
  EXPECT_EQ(describe(build_cubin({.sm = 75, .kernel = false})), "sm_75 130 empty");
  EXPECT_EQ(describe(build_cubin({.sm = 75, .kernel = false, .abi = 7})), "sm_75 130 empty");
  test::ElfSpec no_table;
  no_table.machine = 190;
  no_table.section_headers = false;
  std::string bytes = test::build_elf(no_table).bytes;
  poke(bytes, 7, 0x41, 1);
  poke(bytes, 0x30, 0x06005a04, 4);
  EXPECT_EQ(describe(bytes), "sm_90 0 empty");
}

TEST(Cubin, MoreSectionsThanTheHeaderCanSay) {
  test::ElfSpec spec;
  spec.machine = 190;
  spec.count_in_section_zero = true;
  spec.sections = {{".text.k", "code", 6}};
  test::ElfImage image = test::build_elf(spec);
  poke(image.bytes, 7, 0x41, 1);
  poke(image.bytes, 0x30, 0x06005a04, 4);
  EXPECT_EQ(describe(image.bytes), "sm_90 0 code");
  poke(image.bytes, image.at.at("shdr") + 32, 10'000'000, 8);
  EXPECT_EQ(describe(image.bytes), "malformed");
  poke(image.bytes, image.at.at("shdr") + 32, 1'000'000, 8);
  EXPECT_EQ(describe(image.bytes), "truncated");
}

TEST(Cubin, OtherFilesAreNone) {
  EXPECT_EQ(describe(""), "truncated");
  EXPECT_EQ(describe(std::string(64, '\0')), "not_binary");
  EXPECT_EQ(describe(test::build_elf({}).bytes), "not_binary") << "another machine";
  EXPECT_EQ(describe(test::build_elf({.is64 = false, .machine = 190}).bytes), "not_binary");
  std::string bytes = build_cubin({});
  poke(bytes, 7, 0x42, 1);
  EXPECT_EQ(describe(bytes), "not_binary") << "an OS ABI of no known layout";
  EXPECT_FALSE(parse_cubin_header(Bytes()));
}

TEST(Cubin, TablesThatLie) {
  const auto lying = [](std::size_t offset, std::uint64_t value, std::size_t width) {
    std::string bytes = build_cubin({.option = "-arch sm_90a"});
    poke(bytes, offset, value, width);
    return describe(bytes);
  };
  EXPECT_EQ(lying(0x28, 1 << 30, 8), "truncated");
  EXPECT_EQ(lying(0x28, ~std::uint64_t{0}, 8), "truncated");
  EXPECT_EQ(lying(0x3a, 63, 2), "malformed");
  EXPECT_EQ(lying(0x3c, 0xff00, 2), "truncated");
  EXPECT_EQ(lying(0x3e, 0xff00, 2), "malformed");
}

TEST(Cubin, EveryCutAndEveryDamagedByteIsSurvived) {
  const std::string whole = build_cubin({.option = "ptxas -arch sm_90a -m 64"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(describe(whole.substr(0, size)), "truncated");
  }
  std::string bytes = whole;
  for (char& byte : bytes) {
    const char kept = byte;
    byte = static_cast<char>(~kept);
    EXPECT_FALSE(describe(bytes).empty());
    byte = kept;
  }
}

TEST(Cubin, SizesThatTellAlone) {
  EXPECT_EQ(code_by_size({75, 0}, 1464), CodeBySize::none);
  EXPECT_EQ(code_by_size({80, 0}, 2304), CodeBySize::maybe) << "device functions only";
  EXPECT_EQ(code_by_size({80, 0}, 2856), CodeBySize::some);
  EXPECT_EQ(code_by_size({90, 'a'}, 1736), CodeBySize::none);
  EXPECT_EQ(code_by_size({90, 'a'}, 3432), CodeBySize::some);
  EXPECT_EQ(code_by_size({100, 'f'}, 2248), CodeBySize::none);
  EXPECT_EQ(code_by_size({120, 0}, 5016), CodeBySize::some);
}

}  // namespace
}  // namespace plumb

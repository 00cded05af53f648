// SPDX-License-Identifier: Apache-2.0
#include "binary/fatbin.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/elf_builder.h"
#include "support/fatbin_builder.h"

namespace plumb {
namespace {

using test::build_cubin;
using test::build_fatbin;
using test::FatbinEntry;
using test::poke;

/// "sm_90a", then " empty" and the toolkit as far as known; PTX with its ISA.
std::string describe(const GpuImage& image) {
  std::string text = target_name(image.kind, image.target);
  if (image.kind == ImageKind::ptx) {
    text += " isa " + std::to_string(image.isa_major) + "." + std::to_string(image.isa_minor);
  }
  text += image.toolkit != 0 ? " " + std::to_string(image.toolkit) : "";
  return text + (image.empty ? " empty" : "");
}

/// Feeds the parser what it wants; no images if the container was rejected.
std::optional<std::vector<std::string>> parse(const std::string& bytes, unsigned samples = 0) {
  ContainerParser parser(0, bytes.size(), samples);
  std::uint64_t last = 0;
  while (parser.state() == ContainerParser::State::wanting) {
    EXPECT_TRUE(fits(parser.want_offset(), parser.want_length(), bytes.size()));
    EXPECT_GE(parser.want_offset(), last) << "wants never go backwards";
    last = parser.want_offset();
    parser.take(std::as_bytes(std::span(bytes))
                    .subspan(static_cast<std::size_t>(parser.want_offset()),
                             static_cast<std::size_t>(parser.want_length())));
  }
  if (parser.state() == ContainerParser::State::rejected) {
    return std::nullopt;
  }
  EXPECT_EQ(parser.container().size, bytes.size());
  EXPECT_EQ(parser.container().image_count, parser.images().size());
  std::vector<std::string> images;
  for (const GpuImage& image : parser.images()) {
    images.push_back(describe(image));
  }
  return images;
}

std::string parse_one(const FatbinEntry& entry, unsigned samples = 0) {
  const auto images = parse(build_fatbin({entry}), samples);
  return images && images->size() == 1 ? images->front() : "rejected";
}

TEST(Fatbin, KindsTargetsAndSuffixesOfEntries) {
  const auto images = parse(build_fatbin(
      {{.arch = 80, .body = build_cubin({.sm = 80, .toolkit = 118, .abi = 7, .size = 5000})},
       {.arch = 90, .body = std::string(9000, 'x'), .flags = 0x11 | test::kFatbinArchSpecific},
       {.arch = 100, .body = std::string(9000, 'x'), .flags = 0x11 | test::kFatbinFamily},
       {.kind = 4, .arch = 20, .body = std::string(9000, 'x')},
       {.kind = 1,
        .arch = 90,
        .body = test::ptx_text("9.0", "sm_90a"),
        .flags = 0x11 | test::kFatbinArchSpecific,
        .isa_major = 9,
        .isa_minor = 0},
       {.kind = 8, .arch = 75, .body = "BC"},
       {.kind = 0x40, .arch = 75, .body = "??"}}));
  ASSERT_TRUE(images);
  EXPECT_EQ(*images, (std::vector<std::string>{"sm_80 118", "sm_90a", "sm_100f", "sm_20",
                                               "compute_90a isa 9.0", "lto_75", "unknown_75"}));
}

TEST(Fatbin, HeadersWithExtrasAndContainersWithoutEntries) {
  EXPECT_EQ(parse_one({.arch = 86, .body = std::string(9000, 'x'), .extras = 80}), "sm_86");
  EXPECT_EQ(parse(build_fatbin({})), std::vector<std::string>{}) << "cuDNN for Windows has such";
}

TEST(Fatbin, ImagesWithoutAKernelAreEmpty) {
  const std::string stub = build_cubin({.sm = 75, .kernel = false, .size = 1464});
  EXPECT_EQ(parse_one({.arch = 75, .body = stub}), "sm_75 empty");
  // Between what nothing and what a kernel takes, the body is looked at, packed or not.
  const std::string with = build_cubin({.sm = 80, .toolkit = 118, .abi = 7, .size = 2304});
  const std::string without =
      build_cubin({.sm = 80, .kernel = false, .toolkit = 118, .abi = 7, .size = 2304});
  for (const bool kernel : {true, false}) {
    const std::string& body = kernel ? with : without;
    const std::string expected = kernel ? "sm_80 118" : "sm_80 118 empty";
    EXPECT_EQ(parse_one({.arch = 80, .body = body}), expected);
    EXPECT_EQ(parse_one({.arch = 80,
                         .body = test::as_lz4(body),
                         .flags = test::kFatbinLz4,
                         .unpacked = body.size()}),
              expected);
    EXPECT_EQ(parse_one({.arch = 80,
                         .body = test::as_zstd(body),
                         .flags = test::kFatbinZstd,
                         .unpacked = body.size()}),
              expected);
  }
  EXPECT_EQ(
      parse_one(
          {.kind = 1, .arch = 80, .body = test::ptx_text("8.0", "sm_80", false), .isa_major = 8}),
      "compute_80 isa 8.0 empty");
  EXPECT_EQ(
      parse_one({.kind = 1, .arch = 80, .body = test::ptx_text("8.0", "sm_80"), .isa_major = 8}),
      "compute_80 isa 8.0");
}

TEST(Fatbin, ASampleTellsTheToolkitAndNothingElse) {
  const std::string data = build_cubin({.sm = 90, .kernel = false, .size = 6000});
  const FatbinEntry packed = {
      .arch = 90, .body = test::as_zstd(data), .flags = test::kFatbinZstd, .unpacked = data.size()};
  EXPECT_EQ(parse_one(packed, 0), "sm_90");
  EXPECT_EQ(parse_one(packed, 1), "sm_90 130") << "data counts as code, sampled or not";
  const auto both = parse(build_fatbin({packed, packed}), 1);
  EXPECT_EQ(*both, (std::vector<std::string>{"sm_90 130", "sm_90"}));
}

// Until CUDA 12.9 the entry's flags did not say `a`; the cubin does.
TEST(Fatbin, TheSuffixMayStandInTheCubinOnly) {
  const std::string cubin =
      build_cubin({.sm = 90, .toolkit = 128, .abi = 7, .arch_specific = true, .size = 6000});
  EXPECT_EQ(parse_one({.arch = 90, .body = cubin}), "sm_90a 128");
  EXPECT_EQ(parse_one({.arch = 80, .body = cubin}), "sm_80 128") << "of another target: not taken";
}

TEST(Fatbin, BodiesThatAreNotWhatTheHeaderSays) {
  EXPECT_EQ(parse_one({.arch = 80, .body = std::string(2304, 'x')}), "sm_80");
  EXPECT_EQ(parse_one({.arch = 80, .body = "xx", .flags = test::kFatbinLz4, .unpacked = 2304}),
            "sm_80");
  EXPECT_EQ(parse_one({.arch = 80,
                       .body = std::string(64, '\xff'),
                       .flags = test::kFatbinZstd,
                       .unpacked = 2304}),
            "sm_80");
  EXPECT_EQ(parse_one({.arch = 80,
                       .body = std::string(64, '\xff'),
                       .flags = test::kFatbinLz4,
                       .unpacked = ~std::uint64_t{0}},
                      5),
            "sm_80")
      << "a size that cannot be";
  EXPECT_EQ(parse_one({.arch = 80, .body = ""}), "sm_80 empty");
}

TEST(Fatbin, ContainersThatLieAreRejected) {
  const std::string good = test::simple_fatbin();
  ASSERT_TRUE(parse(good));
  const auto lying = [&good](std::size_t offset, std::uint64_t value, std::size_t width) {
    std::string bytes = good;
    poke(bytes, offset, value, width);
    return parse(bytes).has_value();
  };
  EXPECT_FALSE(lying(0, 0xBA55ED51, 4)) << "magic";
  EXPECT_FALSE(lying(4, 2, 2)) << "version";
  EXPECT_FALSE(lying(6, 24, 2)) << "header size";
  EXPECT_FALSE(lying(8, good.size(), 8)) << "past the limit";
  EXPECT_FALSE(lying(8, ~std::uint64_t{0}, 8));
  EXPECT_FALSE(lying(8, good.size() - 16 - 8, 8)) << "entries do not fill it";
  EXPECT_FALSE(lying(8, 63, 8)) << "no room for an entry";
  EXPECT_FALSE(lying(16 + 2, 0x0102, 2)) << "entry version";
  EXPECT_FALSE(lying(16 + 4, 56, 4)) << "entry header too small";
  EXPECT_FALSE(lying(16 + 4, 1 << 20, 4)) << "entry header too large";
  EXPECT_FALSE(lying(16 + 8, 1 << 20, 8)) << "body past the end";
  EXPECT_FALSE(lying(16 + 8, ~std::uint64_t{0} - 63, 8));
  EXPECT_FALSE(lying(16 + 0x1c, 10'000, 4)) << "no architecture";
  EXPECT_TRUE(lying(16 + 0x30, 12345, 8)) << "a field without meaning here";
}

TEST(Fatbin, TheMagicIsFoundAtMultiplesOfEightOfTheFile) {
  std::string bytes(4096, '\0');
  const auto find = [&bytes](std::size_t from, std::uint64_t file_offset) {
    return find_fatbin_magic(std::as_bytes(std::span(bytes)).subspan(from), file_offset);
  };
  EXPECT_EQ(find(0, 0), 4096u);
  for (const std::size_t at : {4088u, 2048u, 64u, 56u, 8u, 0u}) {
    poke(bytes, at, kFatbinMagic, 4);
    EXPECT_EQ(find(0, 0), at);
    EXPECT_EQ(find(0, 4096), at);
  }
  bytes.assign(4096, '\0');
  poke(bytes, 12, kFatbinMagic, 4);
  EXPECT_EQ(find(0, 0), 4096u);
  EXPECT_EQ(find(0, 4), 12u) << "the file's offset counts";
  EXPECT_EQ(find(12, 16), 0u);
  EXPECT_EQ(find(4095, 8), 1u) << "one byte holds none";
}

}  // namespace
}  // namespace plumb

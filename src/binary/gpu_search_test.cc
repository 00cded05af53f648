// SPDX-License-Identifier: Apache-2.0
#include "binary/gpu_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "binary/gpu_regions.h"
#include "support/counting_source.h"
#include "support/elf_builder.h"
#include "support/fatbin_builder.h"

namespace plumb {
namespace {

using test::build_fatbin;
using test::CountingSource;
using test::poke;
using test::simple_fatbin;
using Offsets = std::vector<std::uint64_t>;

Offsets offsets_of(const GpuCode& code) {
  Offsets offsets;
  for (const GpuContainer& container : code.containers) {
    offsets.push_back(container.offset);
  }
  return offsets;
}

std::string code_of(const Error& error) {
  return std::string(error_code_name(error.code));
}

/// Searches all of `bytes` as a region, and as a stream in pieces of several sizes: the same must
/// be found.
Result<GpuCode> search(const std::string& bytes) {
  GpuCode code;
  const MemorySource source{std::string_view(bytes)};
  const auto done = search_region(source, {"x", 0, bytes.size()}, code);
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 8U, 61U, 4096U, 1U << 30}) {
    if (bytes.size() / piece > 100'000) {
      continue;
    }
    StreamSearch stream(bytes.size());
    for (Bytes rest = std::as_bytes(std::span(bytes)); !rest.empty();) {
      const std::size_t size = std::min(piece, rest.size());
      stream.feed(rest.first(size));
      rest = rest.subspan(size);
    }
    const auto found = stream.finish();
    EXPECT_EQ(found.has_value(), done.has_value());
    if (found && done) {
      EXPECT_EQ(offsets_of(*found), offsets_of(code)) << "in pieces of " << piece;
      EXPECT_EQ(found->images.size(), code.images.size());
    }
  }
  if (!done) {
    return std::unexpected(done.error());
  }
  return code;
}

Offsets find(const std::string& bytes) {
  const auto code = search(bytes);
  return code ? offsets_of(*code) : Offsets{~std::uint64_t{0}};
}

TEST(GpuSearch, ContainersInARowWithGapsAndHoles) {
  const std::string one = simple_fatbin(80);
  for (const std::size_t gap : {0U, 8U, 24U, 4096U, 1'000'000U}) {
    const std::string hole(gap, '\0');
    const auto code = search(one + hole + simple_fatbin(90) + hole + one);
    ASSERT_TRUE(code);
    const std::uint64_t step = one.size() + gap;
    EXPECT_EQ(offsets_of(*code), (Offsets{0, step, 2 * step})) << "gap " << gap;
    ASSERT_EQ(code->images.size(), 3u);
    EXPECT_EQ(code->images[1].target.sm, 90);
    EXPECT_EQ(code->containers[1].first_image, 1u);
    EXPECT_EQ(code->containers[1].size, one.size());
  }
  EXPECT_EQ(find(std::string(24, 'd') + one), Offsets{24}) << "other data before it";
  EXPECT_EQ(find(std::string(4, 'd') + one), Offsets{}) << "not at a multiple of 8";
  EXPECT_EQ(find(""), Offsets{});
  EXPECT_EQ(find("short"), Offsets{});
}

TEST(GpuSearch, ManyImagesInOneContainer) {
  std::vector<test::FatbinEntry> entries(300, {.arch = 80, .body = std::string(40, 'x')});
  const auto code = search(build_fatbin(entries) + build_fatbin({}) + simple_fatbin());
  ASSERT_TRUE(code);
  ASSERT_EQ(code->containers.size(), 3u);
  EXPECT_EQ(code->containers[0].image_count, 300u);
  EXPECT_EQ(code->containers[1].image_count, 0u);
  EXPECT_EQ(code->containers[2].first_image, 300u);
}

TEST(GpuSearch, FalseBeginningsDoNotHideWhatFollows) {
  std::string magic(16, '\0');
  poke(magic, 0, kFatbinMagic, 4);
  const std::string one = simple_fatbin();
  EXPECT_EQ(find(magic + one), Offsets{16}) << "a magic alone";
  EXPECT_EQ(find(magic + magic + magic + one + magic), Offsets{48});
  poke(magic, 4, 0x00100001, 4);
  poke(magic, 8, one.size() + 1000, 8);
  EXPECT_EQ(find(magic + one), Offsets{16}) << "a header that ends past the end";
  poke(magic, 8, one.size(), 8);
  EXPECT_EQ(find(magic + one + one), (Offsets{16, 16 + one.size()}))
      << "a header of the right size around a real container";
  std::string broken = one;
  poke(broken, 8, one.size() - 16 + 8, 8);  // its entries end 8 bytes early
  EXPECT_EQ(find(broken + one + one), (Offsets{one.size(), 2 * one.size()}));
  EXPECT_EQ(find(one + one.substr(0, one.size() - 8)), Offsets{0}) << "the second is cut off";
  EXPECT_EQ(find(one + one.substr(0, 12)), Offsets{0});
}

TEST(GpuSearch, AContainerInsideAnotherIsPartOfIt) {
  const std::string inner = simple_fatbin(80);
  const std::string outer = build_fatbin({{.kind = 8, .arch = 90, .body = inner + inner}});
  const auto code = search(outer + inner);
  ASSERT_TRUE(code);
  EXPECT_EQ(offsets_of(*code), (Offsets{0, outer.size()}));
  ASSERT_EQ(code->images.size(), 2u);
  EXPECT_EQ(code->images[0].kind, ImageKind::lto);
}

TEST(GpuSearch, ARegionEndsWhereItEnds) {
  const std::string one = simple_fatbin();
  const std::string bytes = one + one;
  const MemorySource source{std::string_view(bytes)};
  GpuCode code;
  ASSERT_TRUE(search_region(source, {"a", 0, bytes.size() - 8}, code));
  EXPECT_EQ(offsets_of(code), Offsets{0});
  ASSERT_TRUE(search_region(source, {"b", 3, bytes.size() - 3}, code));
  EXPECT_EQ(offsets_of(code), (Offsets{0, one.size()}));
  EXPECT_EQ(code.places, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(code.containers[1].place, 1u);
  const auto past = search_region(source, {"c", 8, bytes.size()}, code);
  ASSERT_FALSE(past);
  EXPECT_EQ(code_of(past.error()), "truncated");
  EXPECT_FALSE(search_region(source, {"d", ~std::uint64_t{0}, 16}, code));
}

TEST(GpuSearch, PlacesAreTheSectionsContainersLieIn) {
  const std::string one = simple_fatbin();
  auto code = search(one + one + one + one);
  ASSERT_TRUE(code);
  const std::uint64_t size = one.size();
  assign_places(*code, {{".ldata", 3 * size, size}, {".nv_fatbin", 0, 2 * size}, {".x", 1, 1}});
  std::vector<std::string> names;
  for (const GpuContainer& container : code->containers) {
    names.push_back(code->places[container.place]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{".nv_fatbin", ".nv_fatbin", "", ".ldata"}));
}

// ---- Hostile files.

// 40,000 entries, each of which carries the beginning of a container that all the rest would be in.
TEST(GpuSearch, ContainersMadeToLieInEachOtherAreGivenUp) {
  CountingSource source(40'000 * 64 + 4096);
  std::string bytes;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    std::string entry(64, '\0');
    poke(entry, 0x02, 0x0101, 2);
    poke(entry, 0x04, 64, 4);
    poke(entry, 0x30, kFatbinMagic, 4);
    poke(entry, 0x34, 0x00100001, 4);
    poke(entry, 0x38, 40'000 * 64 + 4096 - (i + 1) * 64 - 8, 8);
    bytes += entry;
  }
  source.put(0, bytes);
  GpuCode code;
  const auto done = search_region(source, {"", 0, source.size()}, code);
  ASSERT_FALSE(done);
  EXPECT_EQ(code_of(done.error()), "limit");
  EXPECT_LT(source.bytes_read(), 10 * source.size());

  StreamSearch stream(source.size());
  stream.feed(std::as_bytes(std::span(bytes)));
  const auto found = stream.finish();
  ASSERT_FALSE(found);
  EXPECT_EQ(code_of(found.error()), "limit");
}

TEST(GpuSearch, MagicsEverywhereAreReadOnce) {
  std::string bytes(1 << 20, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    poke(bytes, at, kFatbinMagic, 4);
  }
  CountingSource source(bytes.size());
  source.put(0, bytes);
  GpuCode code;
  static_cast<void>(search_region(source, {"", 0, source.size()}, code));
  EXPECT_TRUE(code.none());
  EXPECT_LT(source.bytes_read(), 3 * source.size());
}

TEST(GpuSearch, MoreContainersThanPlumbCounts) {
  const std::string none = build_fatbin({});
  std::string bytes;
  bytes.reserve(17U << 20);
  while (bytes.size() <= (16U << 20)) {
    bytes += none;
  }
  StreamSearch stream(bytes.size());
  stream.feed(std::as_bytes(std::span(bytes)));
  const auto found = stream.finish();
  ASSERT_FALSE(found);
  EXPECT_EQ(code_of(found.error()), "limit");
}

// ---- Which parts of a library are searched.

test::ElfSpec cuda_library() {
  const std::string one = simple_fatbin();
  return {.sections = {{".nv_fatbin", one},
                       {".rodata", std::string(32, 'r') + one + std::string(8, '\0') + one},
                       {".text", one, 6},
                       {".comment", one, 0}}};
}

GpuCode find_in(const test::ElfImage& image, const SearchReasons& reasons,
                std::uint64_t* records = nullptr) {
  const MemorySource source{std::string_view(image.bytes)};
  const auto elf = read_elf(source, {});
  const GpuRegions regions = gpu_regions(*elf, source.size());
  if (records != nullptr) {
    *records = regions.control_records;
  }
  auto code = find_gpu_code(source, regions, reasons);
  EXPECT_TRUE(code);
  return code ? *code : GpuCode();
}

TEST(GpuRegions, OtherDataIsSearchedWhereMoreIsRegisteredThanFound) {
  test::ElfSpec spec = cuda_library();
  std::uint64_t records = 0;
  spec.sections.push_back({".nvFatBinSegment", std::string(24, '\0'), 3});
  EXPECT_EQ(find_in(build_elf(spec), {}, &records).containers.size(), 1u);
  EXPECT_EQ(records, 1u);
  spec.sections.back().data = std::string(3 * 24, '\0');
  const test::ElfImage image = build_elf(spec);
  const GpuCode code = find_in(image, {}, &records);
  EXPECT_EQ(records, 3u);
  const std::uint64_t rodata = image.at.at(".rodata");
  EXPECT_EQ(offsets_of(code),
            (Offsets{image.at.at(".nv_fatbin"), rodata + 32, rodata + 40 + simple_fatbin().size()}))
      << "in .rodata, not among instructions or what is not loaded";
  EXPECT_EQ(code.places[code.containers[2].place], ".rodata");
}

TEST(GpuRegions, OtherReasonsToSearchAllData) {
  EXPECT_EQ(find_in(build_elf(cuda_library()), {.asked = true}).containers.size(), 3u);
  EXPECT_EQ(find_in(build_elf(cuda_library()), {.nvidia_library = true}).containers.size(), 3u);
  EXPECT_EQ(find_in(build_elf(cuda_library()), {.uses_cuda = true}).containers.size(), 1u);
  test::ElfSpec spec = cuda_library();
  spec.sections[0].data =
      build_fatbin({{.arch = 75, .body = test::build_cubin({.sm = 75, .kernel = false})}});
  EXPECT_EQ(find_in(build_elf(spec), {.uses_cuda = true}).containers.size(), 3u)
      << "nvcc's own stub is no code";
}

TEST(GpuRegions, SectionsThatOverlapGiveEachContainerOnce) {
  test::ElfSpec spec = cuda_library();
  spec.sections.push_back({".data", "12345678", 3});
  spec.sections.push_back({"__nv_relfatbin", "12345678"});
  test::ElfImage image = build_elf(spec);
  const std::size_t shdr = image.at.at("shdr");
  const auto move_over = [&](std::size_t section, const std::string& name) {
    poke(image.bytes, shdr + section * 64 + 24, image.at.at(name), 8);
    poke(image.bytes, shdr + section * 64 + 32, simple_fatbin().size(), 8);
  };
  move_over(5, ".rodata");
  move_over(6, ".nv_fatbin");
  EXPECT_EQ(find_in(image, {.asked = true}).containers.size(), 3u);
  move_over(5, ".nv_fatbin");  // one of the made-for-it sections is listed as other data, too
  EXPECT_EQ(find_in(image, {.asked = true}).containers.size(), 3u);
}

TEST(GpuRegions, SectionsPastTheEndAreCutAndFilesWithoutSectionsSearchedBySegment) {
  test::ElfImage image = build_elf(cuda_library());
  poke(image.bytes, image.at.at("shdr") + 64 + 32, std::uint64_t{1} << 40, 8);
  EXPECT_GE(find_in(image, {}).containers.size(), 1u);
  poke(image.bytes, image.at.at("shdr") + 64 + 24, std::uint64_t{1} << 40, 8);
  EXPECT_EQ(find_in(image, {}).containers.size(), 0u);

  test::ElfSpec spec = cuda_library();
  spec.section_headers = false;
  image = build_elf(spec);
  poke(image.bytes, image.at.at("phdr") + 32, image.bytes.size(), 8);
  EXPECT_EQ(find_in(image, {.asked = true}).containers.size(), 5u);
}

// ---- The cost: headers are read, not images.

TEST(GpuSearch, OnlyHeadersAreRead) {
  constexpr std::uint64_t kSize = 200'000'000;
  constexpr std::uint64_t kBody = 480'000;
  CountingSource source(kSize);
  const std::string cubin = test::build_cubin({.sm = 80, .toolkit = 128, .abi = 7});
  std::uint64_t at = 4096;
  std::size_t containers = 0;
  for (; at + 5 * kBody < kSize; ++containers) {  // four images each, their bodies mostly zeros
    std::string header(16, '\0');
    poke(header, 0, kFatbinMagic, 4);
    poke(header, 4, 0x00100001, 4);
    poke(header, 8, 4 * (64 + kBody), 8);
    source.put(at, header);
    at += 16;
    for (std::uint32_t arch : {75U, 80U, 86U, 90U}) {
      std::string entry = build_fatbin({{.arch = arch, .body = ""}}).substr(16);
      poke(entry, 8, kBody, 8);
      source.put(at, entry + cubin);
      at += 64 + kBody;
    }
    at += containers % 2 == 0 ? 0 : 8;
  }
  GpuCode code;
  ASSERT_TRUE(search_region(source, {".nv_fatbin", 4096, at - 4096}, code));
  EXPECT_EQ(code.containers.size(), containers);
  EXPECT_EQ(code.images.size(), 4 * containers);
  EXPECT_EQ(code.images[1].toolkit, 128) << "the cubins' own headers are among what is read";
  EXPECT_LT(source.bytes_read(), kSize / 50);
  EXPECT_LE(source.reads(), 6 * containers);
}

}  // namespace
}  // namespace plumb

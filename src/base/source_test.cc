// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb {
namespace {

TEST(PagedReader, ReadsAcrossPagesAndRefusesBytesPastTheEnd) {
  std::string text(10000, 'a');
  text[4095] = 'b';
  text[4096] = 'c';
  const MemorySource source{std::string_view(text)};
  PagedReader reader(source);
  const auto bytes = reader.read(4095, 2);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(as_text(*bytes), "bc");
  EXPECT_EQ(reader.read(9999, 2).error().code, ErrorCode::truncated);
  EXPECT_EQ(reader.read(~0ULL, 2).error().code, ErrorCode::truncated);
  EXPECT_TRUE(reader.read(10000, 0));
}

TEST(PagedReader, ReadsNamesThatCrossPagesAndBoundsThem) {
  const std::string text =
      std::string(4090, 'x') + std::string(20, 'y') + std::string(1, '\0') + "tail";
  const MemorySource source{std::string_view(text)};
  PagedReader reader(source);
  EXPECT_EQ(*reader.read_string(4090), std::string(20, 'y'));
  EXPECT_EQ(reader.read_string(0, 100).error().code, ErrorCode::malformed);
  EXPECT_EQ(reader.read_string(4111).error().code, ErrorCode::truncated);
}

TEST(SliceSource, StaysWithinItsPart) {
  const MemorySource whole{std::string_view("0123456789")};
  const SliceSource slice(whole, 3, 4);
  std::byte out[4];
  ASSERT_TRUE(slice.read(0, out));
  EXPECT_EQ(as_text(out), "3456");
  EXPECT_EQ(slice.read(1, out).error().code, ErrorCode::truncated);
}

TEST(LoadLe, ReadsLittleEndianWhateverTheHost) {
  const std::byte bytes[] = {std::byte{0x50}, std::byte{0xed}, std::byte{0x55}, std::byte{0xba}};
  EXPECT_EQ(load_le<std::uint32_t>(bytes), 0xba55ed50U);
  EXPECT_EQ(load_le<std::uint16_t>(bytes, 2), 0xba55U);
}

}  // namespace
}  // namespace plumb

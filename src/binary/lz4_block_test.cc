// SPDX-License-Identifier: Apache-2.0
#include "binary/lz4_block.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "support/fatbin_builder.h"
#include "support/test_files.h"

namespace plumb {
namespace {

using test::bytes_of;
using test::from_hex;

std::string unpack(Bytes block, std::size_t wanted = 1 << 16) {
  return std::string(as_text(decode_lz4_prefix(block, wanted)));
}

TEST(Lz4, LiteralsAndMatches) {
  EXPECT_EQ(unpack(from_hex("30 616263")), "abc");
  EXPECT_EQ(unpack(from_hex("32 616263 0300"
                            "10 78")),
            "abcabcabcx")
      << "a match over itself";
  EXPECT_EQ(unpack(from_hex("1f 61 0100 00"
                            "10 78")),
            "a" + std::string(19, 'a') + "x")
      << "15 in a token: the length goes on in the next bytes";
  EXPECT_EQ(unpack(from_hex("1f 61 0100 ff05"
                            "00")),
            std::string(1 + 4 + 15 + 255 + 5, 'a'));
}

TEST(Lz4, StopsAtTheBytesWanted) {
  const auto block = from_hex(
      "32 616263 0300"
      "10 78");
  for (std::size_t wanted = 0; wanted <= 11; ++wanted) {
    EXPECT_EQ(unpack(block, wanted), std::string("abcabcabcx").substr(0, wanted));
  }
}

TEST(Lz4, BrokenBlocksGiveWhatCameBefore) {
  EXPECT_EQ(unpack({}), "");
  EXPECT_EQ(unpack(from_hex("f0")), "");
  EXPECT_EQ(unpack(from_hex("f0 ff ff")), "") << "a length without an end";
  EXPECT_EQ(unpack(from_hex("30 6162")), "ab") << "literals cut off";
  EXPECT_EQ(unpack(from_hex("30 616263 03")), "abc") << "the distance cut off";
  EXPECT_EQ(unpack(from_hex("30 616263 0000")), "abc") << "a distance of 0";
  EXPECT_EQ(unpack(from_hex("30 616263 0400")), "abc") << "before the start";
}

// fatbinary packed the same PTX and left it plain; the cubins of that mode are plain.
TEST(Lz4, PtxPackedByFatbinaryIsThePlainOne) {
  const auto ptx = [](const std::string& file) {
    const auto bytes = test::read_test_file("real/verdicts/bin/" + file);
    for (std::size_t at = 16; at < bytes.size();) {
      const Bytes entry = Bytes(bytes).subspan(at);
      const auto header = load_le<std::uint32_t>(entry, 4);
      const auto stored = static_cast<std::size_t>(load_le<std::uint64_t>(entry, 8));
      if (load_le<std::uint16_t>(entry) == 1) {
        const auto packed = load_le<std::uint32_t>(entry, 0x10);
        const Bytes body = entry.subspan(header, packed != 0 ? packed : stored);
        return packed != 0 ? unpack(body) : std::string(as_text(body));
      }
      at += header + stored;
    }
    return std::string();
  };
  const std::string packed = ptx("pack_lz4_speed.fatbin");
  EXPECT_TRUE(packed.find(".version") != std::string::npos);
  EXPECT_TRUE(ptx("pack_none.fatbin").starts_with(packed));
}

TEST(Lz4, ReadsWhatTheTestBuilderPacks) {
  for (const std::size_t size : {0U, 14U, 15U, 269U, 270U, 5000U}) {
    const std::string text(size, 'q');
    EXPECT_EQ(unpack(bytes_of(test::as_lz4(text))), text);
  }
}

}  // namespace
}  // namespace plumb

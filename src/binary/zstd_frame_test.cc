// SPDX-License-Identifier: Apache-2.0
// Frames made by the zstd tool (tests/fixtures/zstd, levels in the names), cubins packed by
// fatbinary beside the same ones left plain, and blocks written by hand for what neither makes.
#include "binary/zstd_frame.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "binary/fatbin.h"
#include "support/test_files.h"

namespace plumb {
namespace {

using test::from_hex;
using test::read_test_file;

std::string unpack(Bytes frame, std::size_t wanted = 1 << 20) {
  return std::string(as_text(decode_zstd_prefix(frame, wanted)));
}

// 270,000 letters: a period of 1,000 that drifts. Three blocks, so tables and offsets live on.
std::string drifting_text() {
  std::uint32_t state = 1;
  std::string text;
  for (std::size_t i = 0; i < 270'000; ++i) {
    state = (state * 1103515245U + 12345U) & 0x7fffffffU;
    const std::uint32_t random = state >> 16;
    if (i < 1000) {
      text += static_cast<char>('a' + random % 26);
    } else {
      text += random % 128 == 0 ? static_cast<char>('a' + (random >> 7) % 26) : text[i - 1000];
    }
  }
  return text;
}

struct Sample {
  std::vector<std::byte> frame;
  std::string text;
};

std::map<std::string, Sample> samples() {
  const std::string license(as_text(read_test_file("../LICENSE")));
  std::map<std::string, Sample> all;
  for (const std::string name : {"license.1", "license.3", "license.19", "license.checksum"}) {
    all[name] = {read_test_file("fixtures/zstd/" + name + ".zst"), license};
  }
  for (const std::string name : {"drift.1", "drift.19"}) {
    all[name] = {read_test_file("fixtures/zstd/" + name + ".zst"), drifting_text()};
  }
  return all;
}

TEST(Zstd, DecodesWhatTheToolPackedAtEveryLevel) {
  for (const auto& [name, sample] : samples()) {
    EXPECT_TRUE(unpack(sample.frame) == sample.text) << name;
  }
}

TEST(Zstd, StopsAtExactlyTheBytesWanted) {
  for (const auto& [name, sample] : samples()) {
    const std::size_t size = sample.text.size();
    for (const std::size_t wanted :
         {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{6000},
          size - 1, size, size + 1}) {
      EXPECT_TRUE(unpack(sample.frame, wanted) == sample.text.substr(0, wanted))
          << name << ", " << wanted;
    }
  }
}

TEST(Zstd, AFrameCutAnywhereGivesATruePrefix) {
  for (const auto& [name, sample] : samples()) {
    const std::size_t step = sample.text.size() > 100'000 ? 50 : 1;
    for (std::size_t length = 0; length < sample.frame.size(); length += step) {
      const auto part = decode_zstd_prefix(Bytes(sample.frame).first(length), 1 << 20);
      ASSERT_TRUE(sample.text.starts_with(as_text(part))) << name << " cut to " << length;
    }
  }
  const Sample drift = samples().at("drift.1");
  EXPECT_EQ(unpack(Bytes(drift.frame).first(drift.frame.size() - 1)).size(), 2u * 128 * 1024)
      << "the two blocks before the cut one are whole";
}

// The packed and plain builds of one source hold the same cubins.
TEST(Zstd, CubinsPackedByFatbinaryAreThePlainOnes) {
  constexpr std::uint64_t kFlagZstd = 0x8000;
  const auto entries = [](const std::string& file) {
    const auto bytes = read_test_file("real/verdicts/bin/" + file);
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::string> images;
    for (std::size_t at = 16; at < bytes.size();) {
      const Bytes entry = Bytes(bytes).subspan(at);
      const auto header = load_le<std::uint32_t>(entry, 4);
      const auto stored = static_cast<std::size_t>(load_le<std::uint64_t>(entry, 8));
      const Bytes body = entry.subspan(header, stored);
      const bool packed = (load_le<std::uint64_t>(entry, 0x28) & kFlagZstd) != 0;
      images[{load_le<std::uint16_t>(entry), load_le<std::uint32_t>(entry, 0x1c)}] =
          packed ? unpack(body) : std::string(as_text(body));
      at += header + stored;
    }
    return images;
  };
  const auto plain = entries("pack_none.fatbin");
  const auto packed = entries("pack_zstd_size.fatbin");
  ASSERT_EQ(packed.size(), 3u);
  for (const auto& [key, image] : packed) {
    EXPECT_TRUE(plain.at(key).starts_with(image));  // plain ones are padded to 8 bytes
    EXPECT_LT(plain.at(key).size() - image.size(), 8u);
  }
}

// ---- By hand. The frame header is 28b52ffd (magic), 00 (descriptor), 58 (a window of 2 MiB); each
// block has three bytes: last + 2 * type + 8 * size.

const std::string kHead = "28b52ffd 00 58 ";

TEST(Zstd, RawAndRepeatedBlocks) {
  const auto frame = from_hex(kHead + "18 00 00 616263" + "22 00 00 2e" + "11 00 00 7879");
  EXPECT_EQ(unpack(frame), "abc....xy");
  EXPECT_EQ(unpack(Bytes(frame).first(frame.size() - 1)), "abc....x");  // a raw block that is cut
  EXPECT_EQ(unpack(from_hex(kHead + "19 00 00 616263" + "18 00 00 646566")), "abc")
      << "nothing counts after the last block";
  EXPECT_EQ(unpack(from_hex("28b52ffd 20 03"
                            "19 00 00 616263")),
            "abc")
      << "single segment";
}

// Literals: one 'a' (09 61). One sequence (01) with three tables of one symbol each (54): literal
// length 1, the offset value that names the last offset, match length 3. No bits are left to read.
TEST(Zstd, RepeatedLiteralsAndTablesOfOneSymbol) {
  EXPECT_EQ(unpack(from_hex(kHead + "45 00 00" + "09 61 01 54 01 00 00 01")), "aaaa");
}

TEST(Zstd, BlocksOfNoSequencesAndOfVeryMany) {
  EXPECT_EQ(unpack(from_hex(kHead + "2d 00 00" + "18 616263 00")), "abc");
  // 0x7f00 sequences of no literals and 3 bytes back, from the second and the last offset in turn.
  const auto frame =
      from_hex(kHead + "20 00 00 61616161" + "4d 00 00" + "00 ff0000 54 00 00 00 01");
  EXPECT_TRUE(unpack(frame) == std::string(4 + 3 * 0x7f00, 'a'));
}

TEST(Zstd, ABrokenBlockGivesNothingAndEndsTheFrame) {
  const auto after_abc = [](const std::string& block) {
    return unpack(from_hex(kHead + "18 00 00 616263" + block));
  };
  const std::string next = "19 00 00 646566";
  EXPECT_EQ(after_abc("0e 00 00" + next), "abc") << "block type 3";
  EXPECT_EQ(after_abc("04 00 00" + next), "abc") << "a compressed block without bytes";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 54 01 00 00 00" + next), "abc") << "no end mark";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 54 01 00 00 02" + next), "abc") << "a bit left over";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 55 01 00 00 01" + next), "abc") << "reserved mode bits";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 54 24 00 00 01" + next), "abc")
      << "literal length code 36";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 54 01 20 00 01" + next), "abc") << "offset code 32";
  EXPECT_EQ(after_abc("44 00 00 09 61 01 54 02 00 00 01" + next), "abc") << "more literals used";
  EXPECT_EQ(after_abc("2c 00 00 09 61 01 fc 01" + next), "abc") << "tables of no earlier block";
  EXPECT_EQ(after_abc("24 00 00 13 00 00 00" + next), "abc") << "Huffman table of no earlier block";
  // Offset value 2 or 3 without literals: the third last offset, 8, and the last one less 1: 0.
  EXPECT_EQ(after_abc("44 00 00 01 61 01 54 00 01 00 02" + next), "abc") << "before the start";
  EXPECT_EQ(after_abc("44 00 00 01 61 01 54 00 01 00 03" + next), "abc") << "an offset of 0";
}

TEST(Zstd, FramesThatAreNotReadGiveNothing) {
  const std::string block = "19 00 00 616263";
  EXPECT_EQ(unpack(from_hex("28b52ffd 01 58 07" + block)), "") << "needs dictionary 7";
  EXPECT_EQ(unpack(from_hex("28b52ffd 01 58 00" + block)), "abc") << "dictionary 0 is none";
  EXPECT_EQ(unpack(from_hex("28b52ffd 08 58" + block)), "") << "the reserved bit";
  EXPECT_EQ(unpack(from_hex("29b52ffd 00 58" + block)), "") << "another magic";
  EXPECT_EQ(unpack(from_hex("28b52ffd 20 02" + block)), "") << "a block larger than the window";
  EXPECT_EQ(unpack({}), "");
}

// A window of 1 KiB limits blocks to that; a match of 65,539 bytes and more does not get through.
TEST(Zstd, ABlockDoesNotUnpackToMoreThanItsWindow) {
  const std::string block = "55 00 00 09 61 01 54 01 00 34 00 00 01";
  EXPECT_TRUE(unpack(from_hex("28b52ffd 00 58" + block)) == std::string(65'540, 'a'));
  EXPECT_EQ(unpack(from_hex("28b52ffd 00 00" + block)), "");
  EXPECT_EQ(unpack(from_hex("28b52ffd 00 00" + block), 64), std::string(64, 'a'));
}

// Every byte replaced: whatever comes out, it is no more than wanted, and nothing crashes.
TEST(Zstd, DamageNeverGivesMoreThanWanted) {
  std::vector<std::byte> frame = read_test_file("fixtures/zstd/license.19.zst");
  for (std::byte& byte : frame) {
    const std::byte kept = byte;
    byte ^= std::byte{0xff};
    ASSERT_LE(decode_zstd_prefix(frame, 3000).size(), 3000u);
    byte = kept;
  }
}

}  // namespace
}  // namespace plumb

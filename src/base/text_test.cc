// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

using namespace std::string_literals;

TEST(IsUtf8, AcceptsTheEdgesOfEveryLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"));
  EXPECT_TRUE(is_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  EXPECT_TRUE(is_utf8("a\0b"s));
}

TEST(IsUtf8, RefusesOverlongSurrogateTooLargeAndCutOff) {
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc2", "\xe4\xb8",
        "\xf0\x9f\x98", "\xc2\x41", "\xe4\x41\xad", "\xf0\x9f\x41\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
}

TEST(Printable, LeavesCleanTextAlone) {
  for (const std::string text : {"", "libcudnn.so.9", "C:\\Users\\me\\envs", "显卡 RTX 4060 Ti",
                                 "é e\u0301", "👩‍💻", "can\u200cnot", "✓ ✗ – …"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable(printable(text)), text);
  }
}

TEST(Printable, ShowsControlCharactersByNumber) {
  EXPECT_EQ(printable("a\x1b[31mred\x1b[0m\n"), "a\\x1b[31mred\\x1b[0m\\x0a");
  EXPECT_EQ(printable("\0\t\r\x7f"s), "\\x00\\x09\\x0d\\x7f");
  EXPECT_EQ(printable("\u0080\u009b1m"),
            "\\u{0080}\\u{009b}1m");  // 9b is an escape sequence by itself
}

TEST(Printable, ShowsWhatTurnsOrHidesText) {
  EXPECT_EQ(printable("gpj\u202egpj.exe"), "gpj\\u{202e}gpj.exe");
  EXPECT_EQ(printable("\u2066a\u2069\u200e\u200f\u061c"),
            "\\u{2066}a\\u{2069}\\u{200e}\\u{200f}\\u{061c}");
  EXPECT_EQ(printable("\ufefftorch"), "\\u{feff}torch");
  EXPECT_EQ(printable("a\u2028b\u2029c\u200bd\u2060"), "a\\u{2028}b\\u{2029}c\\u{200b}d\\u{2060}");
  EXPECT_EQ(printable("\U000e0041"), "\\u{e0041}");
}

TEST(Printable, ShowsBytesThatAreNoTextByNumber) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");  // Latin-1
  EXPECT_EQ(printable("\xcf\xd4\xbf\xa8.dll"),
            "\\xcf\u053f\\xa8.dll");                            // GBK: d4 bf happens to be a letter
  EXPECT_EQ(printable("x\xed\xa0\x80y"), "x\\xed\\xa0\\x80y");  // unpaired surrogate as WTF-8
  EXPECT_EQ(printable("中\xe4\xb8"), "中\\xe4\\xb8");           // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");               // overlong '/'
}

TEST(Printable, GivesUtf8ForEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes{static_cast<char>(a), static_cast<char>(b)};
      const std::string clean = printable(bytes);
      ASSERT_TRUE(is_utf8(clean)) << a << ' ' << b;
      ASSERT_EQ(printable(clean), clean) << a << ' ' << b;
    }
  }
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plumb"), 5U);
  EXPECT_EQ(display_width("驱动"), 4U);
  EXPECT_EQ(display_width("ＧＰＵ，"), 8U);
  EXPECT_EQ(display_width("한국어 カナ"), 11U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("✓ ✗ – …"), 7U);
  EXPECT_EQ(display_width("\xff\xfe"), 2U);
  EXPECT_EQ(display_width("\U0001f600\U00020000"), 4U);
}

TEST(ShortenMiddle, KeepsBothEndsWithinTheColumns) {
  EXPECT_EQ(shorten_middle("libtorch_cuda.so", 16), "libtorch_cuda.so");
  EXPECT_EQ(shorten_middle("libtorch_cuda.so", 9), "libt…a.so");
  EXPECT_EQ(shorten_middle("libtorch_cuda.so", 10), "libt…da.so");
  EXPECT_EQ(shorten_middle("abc", 1), "…");
  EXPECT_EQ(shorten_middle("abc", 0), "");
}

TEST(ShortenMiddle, NeverSplitsACharacter) {
  const std::string text = "用户/环境/机器学习/e\u0301\u0301nvs";
  for (std::size_t columns = 0; columns < 24; ++columns) {
    const std::string cut = shorten_middle(text, columns);
    EXPECT_LE(display_width(cut), columns);
    EXPECT_TRUE(is_utf8(cut)) << columns;
    EXPECT_EQ(cut.find("…\u0301"), std::string::npos) << columns;
  }
  EXPECT_EQ(shorten_middle("驱动程序版本", 8), "驱…版本");
}

TEST(PadRight, AlignsByColumns) {
  EXPECT_EQ(pad_right("gpu", 5) + "|", "gpu  |");
  EXPECT_EQ(pad_right("驱动", 5) + "|", "驱动 |");
  EXPECT_EQ(pad_right("toolkit", 3), "toolkit");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("", ',').size(), 1U);
  const auto parts = split(",a,,b", ',');
  EXPECT_EQ(parts, (std::vector<std::string_view>{"", "a", "", "b"}));
}

TEST(Text, SmallHelpers) {
  EXPECT_EQ(join({"7.5", "8.0", "8.6"}, " "), "7.5 8.0 8.6");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(trim(" \t580.65.06\r\n"), "580.65.06");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(to_lower_ascii("KERNEL32.dll Ä"), "kernel32.dll Ä");
  EXPECT_TRUE(ends_with_nocase("TORCH_CUDA.DLL", ".dll"));
  EXPECT_FALSE(ends_with_nocase("dll", ".dll"));
}

TEST(ParseDecimal, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_decimal("0"), 0U);
  EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615U);
  for (const char* bad :
       {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "1.0", "0x10", "max"}) {
    EXPECT_FALSE(parse_decimal(bad)) << bad;
  }
}

TEST(HumanBytes, CountsLikePackageIndexes) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1), "1 byte");
  EXPECT_EQ(human_bytes(999), "999 bytes");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(1049), "1.0 kB");
  EXPECT_EQ(human_bytes(1050), "1.1 kB");
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'950), "1.0 MB");
  EXPECT_EQ(human_bytes(554'600'000), "554.6 MB");
  EXPECT_EQ(human_bytes(18446744073709551615U), "18.4 EB");
}

}  // namespace
}  // namespace plumb

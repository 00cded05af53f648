// SPDX-License-Identifier: Apache-2.0
#include "report/text_style.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

const TextStyle kPlain{};
const TextStyle kColour{true, true, 80};
const TextStyle kAscii{false, false, 80};

TEST(TextStyle, MarksAreAlignedInBothCharsets) {
  EXPECT_EQ(mark(Mark::right, kPlain), "✓");
  EXPECT_EQ(mark(Mark::right, kAscii), "ok");
  EXPECT_EQ(mark(Mark::broken, kAscii), "X ");
  EXPECT_EQ(mark(Mark::not_needed, kAscii), "- ");
  EXPECT_EQ(mark(Mark::waits, kAscii), "  ");
}

TEST(TextStyle, ColourOnlyRepeatsTheMark) {
  EXPECT_EQ(mark(Mark::broken, kColour), "\x1b[31m✗\x1b[0m");
  EXPECT_EQ(coloured(Mark::broken, "x", kPlain), "x");
  EXPECT_EQ(dim("", kColour), "");
}

TEST(TextStyle, WidthLeavesColourOutAndCountsChineseTwice) {
  EXPECT_EQ(visible_width("\x1b[31m驱动\x1b[0m!"), 5U);
}

TEST(TextStyle, WrapsAtBlanksAndKeepsLongWordsWhole) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("a /very/long/path b", 5),
            (std::vector<std::string>{"a", "/very/long/path", "b"}));
  EXPECT_EQ(wrap("first\nsecond", 40), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(wrap("", 40), std::vector<std::string>{""});
  EXPECT_EQ(wrap("2.14.1  all well", 40), std::vector<std::string>{"2.14.1  all well"});
  EXPECT_EQ(wrap("2.14.1  all well", 10), (std::vector<std::string>{"2.14.1", "all well"}));
}

TEST(TextStyle, LabelledTextHangsUnderItself) {
  EXPECT_EQ(labelled("why", "aaaa bbbb cccc dddd eeee ffff", 2, 7, TextStyle{false, true, 33}),
            "  why    aaaa bbbb cccc dddd eeee\n"
            "         ffff\n");
}

TEST(TextStyle, RowsAlignWithoutTrailingBlanks) {
  EXPECT_EQ(aligned_rows({{"a", "1", "x"}, {"bbb", "22"}}, 2, {Align::left, Align::right}),
            (std::vector<std::string>{"a     1  x", "bbb  22"}));
}

TEST(TextStyle, AsciiConsolesGetAsciiPunctuation) {
  EXPECT_EQ(in_charset("a … b – c · ≥ 5 名", kAscii), "a ... b - c - >= 5 名");
  EXPECT_EQ(in_charset("a … b", kPlain), "a … b");
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/wide.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

using namespace std::string_literals;

std::wstring units(std::initializer_list<unsigned> numbers) {
  std::wstring wide;
  for (const unsigned number : numbers) {
    wide += static_cast<wchar_t>(number);
  }
  return wide;
}

TEST(Wide, GoesThereAndBack) {
  for (const std::string text : {"", "C:\\Users\\用户", "é", "\U0001f600 \U0010ffff"}) {
    EXPECT_EQ(from_wide(to_wide(text)), text);
  }
  EXPECT_EQ(to_wide("\U0001f600"), units({0xd83d, 0xde00}));
  EXPECT_EQ(to_wide("a\0b"s), units({'a', 0, 'b'}));
}

TEST(Wide, KeepsUnpairedSurrogates) {
  const std::wstring odd = units({'a', 0xd800, 'b', 0xdc00, 0xd83d});
  EXPECT_EQ(from_wide(odd),
            "a\xed\xa0\x80"
            "b\xed\xb0\x80\xed\xa0\xbd");
  EXPECT_EQ(to_wide(from_wide(odd)), odd);
}

TEST(Wide, ReplacesWhatIsNoText) {
  EXPECT_EQ(to_wide("\xff"), units({0xfffd}));
  EXPECT_EQ(to_wide("a\xe4\xb8"), units({'a', 0xfffd, 0xfffd}));
  EXPECT_EQ(to_wide("\xc0\xaf"), units({0xfffd, 0xfffd}));  // overlong '/': must not become one
  EXPECT_EQ(to_wide("\xe0\x80\xaf"), units({0xfffd, 0xfffd, 0xfffd}));
  EXPECT_EQ(to_wide("\xf4\x90\x80\x80").front(), units({0xfffd}).front());
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

Version version(std::string_view text) {
  return Version::parse(text).value();
}

TEST(Version, KeepsItsTextAndComparesByNumber) {
  EXPECT_EQ(version("580.65.06").text(), "580.65.06");
  EXPECT_GT(version("580.65.06"), version("580.65.5"));
  EXPECT_LT(version("9.2"), version("9.19.0.56"));
  EXPECT_LT(version("12.8"), version("13"));
}

TEST(Version, MissingPartsAreZero) {
  EXPECT_EQ(version("12"), version("12.0"));
  EXPECT_EQ(version("12.0.0"), version("12"));
  EXPECT_LT(version("12"), version("12.0.1"));
  EXPECT_EQ(Version{}, version("0"));
  EXPECT_EQ(version("13").minor(), 0U);
  EXPECT_EQ(version("13.2").minor(), 2U);
}

TEST(Version, RefusesWhatIsNoDottedNumber) {
  for (const char* bad : {"", ".", "12.", ".8", "12..8", "12.8a", "v12", " 12", "12.8 ", "-1",
                          "1,2", "12.8+cu", "1234567890", "1.2.3.4.5.6.7.8.9"}) {
    EXPECT_FALSE(Version::parse(bad)) << bad;
  }
  EXPECT_EQ(version("1.2.3.4.5.6.7.8").part(7), 8U);
  EXPECT_EQ(version("999999999").major(), 999999999U);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "catalog/catalog.h"

namespace plumb {
namespace {

bool runs(ComputeCapability built, ComputeCapability card) {
  return Catalog::builtin().sass_runs_on(built, card);
}

TEST(ComputeCapability, Parses) {
  EXPECT_EQ(ComputeCapability::parse("8.9"), (ComputeCapability{8, 9}));
  EXPECT_EQ(ComputeCapability::parse("12.1"), (ComputeCapability{12, 1}));
  for (const char* text :
       {"", "8", "8.", ".9", "8.9.1", "a.b", "0.5", "100.0", "8.100", "-8.9", "8,9"}) {
    EXPECT_FALSE(ComputeCapability::parse(text).has_value()) << text;
  }
}

TEST(SassRunsOn, SameMajorAndNoLowerMinor) {
  EXPECT_TRUE(runs({8, 6}, {8, 9}));
  EXPECT_TRUE(runs({8, 0}, {8, 6}));
  EXPECT_TRUE(runs({9, 0}, {9, 0}));
  EXPECT_TRUE(runs({10, 0}, {10, 3}));
  EXPECT_TRUE(runs({12, 0}, {12, 1}));
  EXPECT_TRUE(runs({6, 0}, {6, 1}));
  EXPECT_FALSE(runs({8, 9}, {8, 6}));
  EXPECT_FALSE(runs({8, 0}, {9, 0}));
  EXPECT_FALSE(runs({10, 0}, {12, 0}));
  EXPECT_FALSE(runs({9, 0}, {8, 9}));
}

TEST(SassRunsOn, TegraKeepsToItself) {
  EXPECT_TRUE(runs({8, 7}, {8, 7}));
  EXPECT_FALSE(runs({8, 0}, {8, 7})) << "measured on a Jetson Orin: no kernel image";
  EXPECT_FALSE(runs({8, 6}, {8, 7}));
  EXPECT_FALSE(runs({8, 7}, {8, 9}));
  EXPECT_FALSE(runs({7, 2}, {7, 5}));
  EXPECT_FALSE(runs({5, 2}, {5, 3}));
  EXPECT_TRUE(runs({11, 0}, {11, 0}));
}

TEST(SassRunsOn, CardsNewerThanTheTableFollowTheGeneralRule) {
  EXPECT_TRUE(runs({12, 0}, {12, 5}));
  EXPECT_TRUE(runs({14, 0}, {14, 2}));
  EXPECT_FALSE(runs({14, 2}, {14, 0}));
  EXPECT_FALSE(runs({8, 7}, {8, 11})) << "Tegra's code goes nowhere";
}

TEST(FamilyOf, WhoRunsAnFTarget) {
  using Family = std::vector<ComputeCapability>;
  const Catalog& catalog = Catalog::builtin();
  EXPECT_EQ(catalog.family_of({10, 0}), (Family{{10, 0}, {10, 3}, {10, 7}}));
  EXPECT_EQ(catalog.family_of({10, 3}), (Family{{10, 3}, {10, 7}}));
  EXPECT_EQ(catalog.family_of({12, 0}), (Family{{12, 0}, {12, 1}}));
  EXPECT_EQ(catalog.family_of({12, 1}), (Family{{12, 1}}));
  EXPECT_EQ(catalog.family_of({9, 0}), (Family{{9, 0}})) << "no families before 10.0";
}

TEST(Architectures, KnowsWhenACardCameAndWhenItWent) {
  const Architecture* maxwell = Catalog::builtin().find_architecture({5, 2});
  ASSERT_NE(maxwell, nullptr);
  EXPECT_EQ(maxwell->last_cuda, "12.9");
  EXPECT_EQ(maxwell->last_driver_branch, 580U);
  const Architecture* blackwell = Catalog::builtin().find_architecture({12, 0});
  ASSERT_NE(blackwell, nullptr);
  EXPECT_EQ(blackwell->first_cuda, "12.8");
  EXPECT_EQ(blackwell->last_driver_branch, 0U);
  EXPECT_EQ(Catalog::builtin().find_architecture({8, 4}), nullptr);
}

}  // namespace
}  // namespace plumb

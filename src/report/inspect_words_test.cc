// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_words.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Grouped, SetsCommasEveryThreeDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1885), "1,885");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(RequirementText, LeavesTheMarkerOutButSaysWhichExtraAsks) {
  EXPECT_EQ(requirement_text("nvidia-nccl-cu13==2.30.7; platform_system == \"Linux\""),
            "nvidia-nccl-cu13==2.30.7");
  EXPECT_EQ(requirement_text("nvidia-cufft~=12.0; extra == \"cuda\""),
            "nvidia-cufft~=12.0 (only with [cuda])");
  EXPECT_EQ(requirement_text("torch>=2.10"), "torch>=2.10");
  EXPECT_EQ(requirement_text("x; extra == 'a"), "x (only with [a])");
}

TEST(RequirementApplies, OnlyWhereTheMarkerDoesNotAskForAnotherSystem) {
  const std::string linux_only = "nvidia-nccl-cu13==2.30.7; platform_system == \"Linux\"";
  EXPECT_TRUE(requirement_applies(linux_only, false));
  EXPECT_FALSE(requirement_applies(linux_only, true));
  EXPECT_FALSE(requirement_applies("x; sys_platform == 'win32' and extra == 'a'", false));
  EXPECT_TRUE(requirement_applies("x; sys_platform == 'win32'", true));
  EXPECT_FALSE(requirement_applies("x; sys_platform != 'win32'", true));
  EXPECT_TRUE(requirement_applies("x; sys_platform == 'darwin' or extra == 'a'", true));
  EXPECT_FALSE(requirement_applies("x; sys_platform == 'darwin'", false));
  EXPECT_TRUE(requirement_applies("x", true));
  EXPECT_TRUE(requirement_applies("x; platform_system", true));
}

TEST(CommonFolder, IsWholeFoldersOnly) {
  EXPECT_EQ(common_folder({"/a/bc/x.so", "/a/bd/y.so"}), "/a/");
  EXPECT_EQ(common_folder({"/a/x.so", "/a/x.so.1"}), "/a/");
  EXPECT_EQ(common_folder({"x.so", "y.so"}), "");
  EXPECT_EQ(common_folder({"C:\\a\\x.dll", "C:\\a\\y.dll"}), "C:\\a\\");
}

TEST(ModulesText, CountsOnlyWhatDecides) {
  Verdict verdict;
  verdict.result = VerdictResult::jit;
  verdict.general = {204, 1885, 0};
  verdict.by = {"sm_80", "compute_80"};
  verdict.driver_windows = "456.38";
  EXPECT_EQ(modules_text(verdict, {}, true),
            "2,089 of 2,089 modules, 1,885 of them compiled at first start (sm_80 compute_80); "
            "needs driver 456.38 or newer");
  verdict.general = {3, 0, 1};
  verdict.by = {"sm_80"};
  EXPECT_EQ(modules_text(verdict, {}, false),
            "3 of 4 modules, as built (sm_80); the rest holds nothing for it");
}

TEST(ModulesText, SaysWhyCodeThatIsThereDoesNotServe) {
  Verdict verdict;
  verdict.rule = "none.only_empty";
  EXPECT_EQ(modules_text(verdict, {}, false),
            "what was built for it holds no kernel; holds no code that runs as built, no PTX");
  verdict.rule = "none.only_lto";
  EXPECT_EQ(modules_text(verdict, {}, false), "link-time code (LTO) alone, which no driver loads");
}

TEST(CardText, DropsTheBrandThatEverybodyLeavesOut) {
  EXPECT_EQ(card_text({"GeForce RTX 2080 Ti", {7, 5}}), "RTX 2080 Ti (7.5)");
  EXPECT_EQ(card_text({"compute capability 8.9", {8, 9}}), "compute capability 8.9");
}

}  // namespace
}  // namespace plumb

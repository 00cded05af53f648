// SPDX-License-Identifier: Apache-2.0
#include "catalog/framework_builds.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

const Catalog& catalog() {
  return Catalog::builtin();
}

TEST(FrameworkBuilds, AnOldWindowsDriverGetsTheNewestCudaThatItTakes) {
  const auto choice = choose_build(
      {"torch", "windows", ComputeCapability{8, 9}, Version::parse("536.67"), "3.10", ""},
      catalog());
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->build->cuda, "12.6");
  EXPECT_EQ(choice->serves_by, "8.6");
  EXPECT_EQ(choice->build->driver, "528.33");
  EXPECT_NE(
      choice->build->pip_arguments().find("--index-url https://download.pytorch.org/whl/cu126"),
      std::string::npos);
}

TEST(FrameworkBuilds, ACardOfTheNewestGenerationIsNotGivenAnOlderBuild) {
  const auto choice = choose_build(
      {"torch", "linux", ComputeCapability{12, 0}, Version::parse("570.86.15"), "3.12", ""},
      catalog());
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->build->cuda, "12.8");
  EXPECT_EQ(choice->serves_by, "12.0");
}

TEST(FrameworkBuilds, TheInstalledVersionIsKeptWhereItHasAFittingBuild) {
  const auto choice = choose_build(
      {"torch", "linux", ComputeCapability{8, 6}, Version::parse("580.95.05"), "3.12", "2.11.0"},
      catalog());
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->build->version, "2.11.0");
  EXPECT_EQ(choice->build->cuda, "13.0");
  EXPECT_EQ(choice->build->pip_arguments(), "torch==2.11.0");  // PyPI's own
}

TEST(FrameworkBuilds, NothingIsOfferedWhereNothingFits) {
  EXPECT_FALSE(choose_build(
      {"tensorflow", "windows", ComputeCapability{8, 6}, Version::parse("581.29"), "3.12", ""},
      catalog()));
  EXPECT_FALSE(choose_build({"no-such", "linux", {}, {}, "", ""}, catalog()));
}

TEST(FrameworkBuilds, KnowsWhereGpuBuildsEnded) {
  EXPECT_TRUE(newest_gpu_version("tensorflow", "windows").starts_with("2.10."));
  EXPECT_EQ(newest_gpu_version("jax", "windows"), "");
}

}  // namespace
}  // namespace plumb

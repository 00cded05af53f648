// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "os/file.h"

namespace plumb {
namespace {

TEST(Environment, TellsUnsetFromSet) {
  EXPECT_FALSE(get_environment("PLUMB_TEST_SURELY_UNSET"));
  ASSERT_TRUE(get_environment("PATH"));
  EXPECT_FALSE(get_environment("PATH")->empty());
}

TEST(Environment, NamesItsVariables) {
  const auto names = environment_names();
  EXPECT_TRUE(std::ranges::any_of(
      names, [](const std::string& name) { return name == "PATH" || name == "Path"; }));
  EXPECT_TRUE(std::ranges::all_of(
      names, [](const std::string& name) { return get_environment(name).has_value(); }));
}

TEST(Environment, KnowsItsPlaces) {
  EXPECT_TRUE(system_name() == "linux" || system_name() == "windows");
  EXPECT_EQ(system_folder().empty(), system_name() == "linux");
  EXPECT_EQ(file_status(home_folder())->kind, FileKind::directory);
}

TEST(Environment, GivesTheArgumentsBack) {
  char name[] = "plumb";
  char* arguments[] = {name, nullptr};
  EXPECT_GE(command_line(1, arguments).size(), 1U);
}

}  // namespace
}  // namespace plumb

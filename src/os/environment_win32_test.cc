// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <gtest/gtest.h>
#include <windows.h>

namespace plumb {
namespace {

using List = std::vector<std::string>;

TEST(EnvironmentWin32, SplitsPathListsAndUnderstandsQuotes) {
  EXPECT_EQ(split_path_list("C:\\a;C:\\b c"), (List{"C:\\a", "C:\\b c"}));
  EXPECT_EQ(split_path_list("\"C:\\x;y\";;C:\\\"Program Files\"\\z;"),
            (List{"C:\\x;y", "", "C:\\Program Files\\z", ""}));
}

TEST(EnvironmentWin32, ReadsLongForeignAndEmptyValues) {
  ::SetEnvironmentVariableW(L"PLUMB_TEST_用户", std::wstring(5000, L'显').c_str());
  ASSERT_TRUE(get_environment("PLUMB_TEST_用户"));
  EXPECT_EQ(get_environment("PLUMB_TEST_用户")->size(), 15000U);
  ::SetEnvironmentVariableW(L"PLUMB_TEST_EMPTY", L"");
  EXPECT_EQ(get_environment("PLUMB_TEST_EMPTY"), "");
}

TEST(EnvironmentWin32, TakesTheArgumentsFromTheWideCommandLine) {
  const auto arguments = command_line(0, nullptr);
  ASSERT_FALSE(arguments.empty());
  EXPECT_NE(arguments[0].find("os_test"), std::string::npos) << arguments[0];
}

TEST(EnvironmentWin32, NamesTheUsersLanguage) {
  EXPECT_GE(user_language().size(), 2U);
}

}  // namespace
}  // namespace plumb

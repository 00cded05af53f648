// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace plumb {
namespace {

using List = std::vector<std::string>;

TEST(EnvironmentPosix, SplitsPathListsAndKeepsEmptyElements) {
  EXPECT_EQ(split_path_list("/usr/bin:/bin"), (List{"/usr/bin", "/bin"}));
  EXPECT_EQ(split_path_list(":/a b:"),
            (List{"", "/a b", ""}));  // an empty element is the current folder
  EXPECT_EQ(split_path_list(""), List{""});
}

TEST(EnvironmentPosix, ReadsTheLanguageFromTheLocale) {
  const auto language = [](const char* all, const char* messages, const char* lang) {
    ::setenv("LC_ALL", all, 1);
    ::setenv("LC_MESSAGES", messages, 1);
    ::setenv("LANG", lang, 1);
    return user_language();
  };
  EXPECT_EQ(language("", "", "zh_CN.UTF-8"), "zh-CN");
  EXPECT_EQ(language("", "de_DE@euro", "zh_CN.UTF-8"), "de-DE");
  EXPECT_EQ(language("C.UTF-8", "de_DE", "zh_CN.UTF-8"), "en");
  EXPECT_EQ(language("", "", "POSIX"), "en");
  EXPECT_EQ(language("", "", "ja"), "ja");
  EXPECT_EQ(language("", "", ""), "en");
  ::unsetenv("LC_ALL");
  ::unsetenv("LC_MESSAGES");
}

}  // namespace
}  // namespace plumb

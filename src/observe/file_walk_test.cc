// SPDX-License-Identifier: Apache-2.0
#include "observe/file_walk.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

std::vector<std::string> names(const Walk& walk, const std::string& root) {
  std::vector<std::string> result;
  for (const WalkedFile& file : walk.files) {
    std::string name = file.path.substr(root.size() + 1);
    for (char& c : name) {
      c = c == '\\' ? '/' : c;
    }
    result.push_back(name);
  }
  return result;
}

TEST(WalkFiles, FindsEverythingButTextFolderByFolder) {
  const test::TempFolder folder;
  folder.write("b/x.so", "1");
  folder.write("b/readme.md", "2");
  folder.write("a.dll", "3");
  folder.write("b/c/tool", "4");
  folder.write("b-c/y.so", "5");
  const Walk walk = walk_files({folder.path()});
  EXPECT_TRUE(walk.errors.empty());
  EXPECT_EQ(names(walk, folder.path()),
            (std::vector<std::string>{"a.dll", "b/c/tool", "b/x.so", "b-c/y.so"}));
}

TEST(WalkFiles, ANamedFileIsTakenWhateverItsNameAndOnlyOnce) {
  const test::TempFolder folder;
  folder.write("notes.txt", "1");
  const std::string path = join_path(folder.path(), "notes.txt");
  const Walk walk = walk_files({path, path, folder.path()});
  ASSERT_EQ(walk.files.size(), 1U);
  EXPECT_TRUE(walk.files[0].named);
}

TEST(WalkFiles, WhatIsNotThereIsAnErrorWithItsName) {
  const test::TempFolder folder;
  const std::string path = join_path(folder.path(), "nothing.so");
  const Walk walk = walk_files({path});
  ASSERT_EQ(walk.errors.size(), 1U);
  EXPECT_EQ(walk.errors[0].path, path);
  EXPECT_EQ(walk.errors[0].error.code, ErrorCode::not_found);
}

TEST(IsTextName, GoesByTheEnding) {
  EXPECT_TRUE(is_text_name("a.py"));
  EXPECT_TRUE(is_text_name("A.H"));
  EXPECT_TRUE(is_text_name("x.json"));
  EXPECT_FALSE(is_text_name("libx.so.1"));
  EXPECT_FALSE(is_text_name("ptxas"));
  EXPECT_FALSE(is_text_name("x.ptx"));
}

}  // namespace
}  // namespace plumb

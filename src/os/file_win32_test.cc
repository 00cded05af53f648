// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <gtest/gtest.h>
#include <windows.h>

#include "os/environment.h"
#include "os/wide.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

using test::TempFolder;

TEST(OpenFileWin32, NeverOpensADevice) {
  for (const char* name : {"NUL", "nul", "CON", "COM1", "\\\\.\\PhysicalDrive0", "//./pipe/plumb",
                           "\\\\.\\pipe\\x", "\\\\server\\pipe\\x", "\\\\?\\pipe\\x",
                           "\\\\?\\UNC\\server\\PIPE\\x", "\\\\?\\GLOBALROOT\\Device\\Null"}) {
    const auto file = open_file(name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().code, ErrorCode::special_file) << name;
    EXPECT_EQ(file.error().what, "is a device; plumb reads regular files only");
    EXPECT_EQ(file_status(name)->kind, FileKind::special) << name;
  }
}

TEST(OpenFileWin32, ReadsPathsLongerThan260) {
  const TempFolder folder;
  std::string path = folder.path();
  for (int i = 0; i < 8; ++i) {
    path = join_path(path, std::string(60, 'd'));
    ASSERT_TRUE(::CreateDirectoryW((L"\\\\?\\" + to_wide(path)).c_str(), nullptr));
  }
  const std::string file_path = join_path(path, "nvcuda.dll");
  const HANDLE made = ::CreateFileW((L"\\\\?\\" + to_wide(file_path)).c_str(), GENERIC_WRITE, 0,
                                    nullptr, CREATE_NEW, 0, nullptr);
  ASSERT_NE(made, INVALID_HANDLE_VALUE);
  DWORD written = 0;
  ::WriteFile(made, "MZ", 2, &written, nullptr);
  ::CloseHandle(made);
  EXPECT_EQ(read_text_file(file_path).value(), "MZ");
  EXPECT_EQ(file_status(file_path)->size, 2U);
  EXPECT_EQ(list_directory(path)->front().name, "nvcuda.dll");
}

TEST(OpenFileWin32, ReadsWhatAnotherProgramHasOpen) {
  const TempFolder folder;
  const std::string path = folder.write("x", "text");
  const HANDLE other =
      ::CreateFileW(to_wide(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(other, INVALID_HANDLE_VALUE);
  EXPECT_EQ(read_text_file(path).value(), "text");
  ::CloseHandle(other);
}

TEST(OpenFileWin32, NamesASharingViolation) {
  const TempFolder folder;
  const std::string path = folder.write("x", "text");
  const HANDLE other =
      ::CreateFileW(to_wide(path).c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(other, INVALID_HANDLE_VALUE);
  EXPECT_EQ(open_file(path).error().what, "another program holds the file open (Windows error 32)");
  ::CloseHandle(other);
}

TEST(OpenFileWin32, UnderstandsBothSeparators) {
  const TempFolder folder;
  folder.write("a/b", "text");
  EXPECT_EQ(read_text_file(folder.path() + "/a/b").value(), "text");
  EXPECT_EQ(read_text_file(folder.path() + "\\a\\..\\a\\b").value(), "text");
  EXPECT_EQ(list_directory(folder.path() + "/a/").value().front().name, "b");
}

TEST(FileWin32, FindsTheSystemsOwnLibraries) {
  const std::string path = join_path(system_folder(), "kernel32.dll");
  EXPECT_EQ(file_status(path)->kind, FileKind::regular);
  EXPECT_TRUE(open_file(path));
}

TEST(PathsWin32, KnowRoots) {
  EXPECT_EQ(parent_path("C:\\Windows\\System32"), "C:\\Windows");
  EXPECT_EQ(parent_path("C:\\Windows"), "C:\\");
  EXPECT_EQ(parent_path("C:\\"), "");
  EXPECT_EQ(parent_path("C:x"), "C:");
  EXPECT_EQ(parent_path("C:/a\\b/c"), "C:/a\\b");
  EXPECT_EQ(parent_path("\\\\server\\share\\a"), "\\\\server\\share\\");
  EXPECT_EQ(parent_path("\\\\server\\share\\"), "");
  EXPECT_EQ(parent_path("\\\\server\\share"), "");
  EXPECT_EQ(parent_path("\\\\?\\C:\\a"), "\\\\?\\C:\\");
  EXPECT_EQ(parent_path("\\\\?\\UNC\\server\\share\\a\\b"), "\\\\?\\UNC\\server\\share\\a");
  EXPECT_EQ(parent_path("\\"), "");
  EXPECT_EQ(file_name("C:\\a/b.dll"), "b.dll");
  EXPECT_EQ(join_path("C:", "x"), "C:x");
  EXPECT_EQ(join_path("C:\\", "x"), "C:\\x");
  EXPECT_EQ(join_path("C:/a/", "x"), "C:/a/x");
}

TEST(RealPathWin32, HasNoPrefix) {
  const std::string path = real_path(system_folder());
  EXPECT_FALSE(path.starts_with("\\\\?\\")) << path;
  EXPECT_EQ(file_status(path)->kind, FileKind::directory);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace plumb {
namespace {

using test::TempFolder;

TEST(OpenFilePosix, NeverOpensAFifo) {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto file = open_file(path);  // a plain open would wait for a writer for ever
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::special_file);
  EXPECT_EQ(file.error().what, "is a FIFO; plumb reads regular files only");
  EXPECT_EQ(read_text_file(path).error().code, ErrorCode::special_file);
  EXPECT_EQ(file_status(path)->kind, FileKind::special);
  EXPECT_EQ(list_directory(folder.path())->front().kind, FileKind::special);
}

TEST(OpenFilePosix, NeverOpensADeviceOrSocket) {
  EXPECT_EQ(open_file("/dev/zero").error().what, "is a device; plumb reads regular files only");
  const TempFolder folder;
  std::filesystem::create_symlink("/dev/tty", folder.native("link"));
  EXPECT_EQ(open_file(folder.path("link")).error().code, ErrorCode::special_file);

  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.path("s");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(open_file(path).error().what, "is a socket; plumb reads regular files only");
  ::close(socket);
}

TEST(OpenFilePosix, FollowsLinksAndSaysWhenTheyGoInACircle) {
  const TempFolder folder;
  folder.write("real", "text");
  std::filesystem::create_symlink("real", folder.native("link"));
  std::filesystem::create_symlink("b", folder.native("a"));
  std::filesystem::create_symlink("a", folder.native("b"));
  std::filesystem::create_symlink("gone", folder.native("dangling"));
  EXPECT_EQ(read_text_file(folder.path("link")).value(), "text");
  EXPECT_EQ(real_path(folder.path("link")), real_path(folder.path("real")));
  EXPECT_EQ(open_file(folder.path("a")).error().code, ErrorCode::loop);
  EXPECT_EQ(file_status(folder.path("a")).error().what, "symbolic links lead in a circle");
  EXPECT_EQ(file_status(folder.path("a"), Links::keep)->kind, FileKind::symlink);
  EXPECT_EQ(file_status(folder.path("link"))->kind, FileKind::regular);
  EXPECT_EQ(file_status(folder.path("dangling"))->kind, FileKind::missing);
  EXPECT_EQ(file_status(folder.path("dangling"), Links::keep)->kind, FileKind::symlink);
}

TEST(OpenFilePosix, SaysThatThereIsNoPermission) {
  const TempFolder folder;
  const std::string path = folder.write("x", "secret");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const uid_t self = ::geteuid();
  if (self == 0) {  // root may read everything
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto file = open_file(path);
  ASSERT_EQ(::seteuid(self), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::no_permission);
  EXPECT_EQ(file.error().what, "no permission");
}

TEST(ReadTextFilePosix, ReadsFilesOfTheKernelWhoseSizeIsZero) {
  EXPECT_EQ(file_status("/proc/self/status")->size, 0U);
  EXPECT_NE(read_text_file("/proc/self/status")->find("Name:"), std::string::npos);
}

TEST(ListDirectoryPosix, KeepsNamesThatAreNoText) {
  const TempFolder folder;
  const std::string name = "caf\xe9\x01";
  const std::string path = join_path(folder.path(), name);
  FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  std::filesystem::create_symlink("nowhere", folder.native("link"));
  const auto entries = list_directory(folder.path());
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, name);
  EXPECT_EQ((*entries)[1].kind, FileKind::symlink);
  EXPECT_TRUE(open_file(path));
}

TEST(FileStatusPosix, TooLongANameIsAMissingFile) {
  EXPECT_EQ(file_status("/" + std::string(300, 'x'))->kind, FileKind::missing);
}

}  // namespace
}  // namespace plumb

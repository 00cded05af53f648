// SPDX-License-Identifier: Apache-2.0
// What holds on both systems; file_posix_test.cc and file_win32_test.cc have the rest.
#include "os/file.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>

#include "os/parallel.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

using namespace std::string_literals;
using test::TempFolder;

std::string read_text(const Source& source, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  const auto done = source.read(offset, std::as_writable_bytes(std::span(text)));
  return done ? text : "error: " + done.error().what;
}

TEST(OpenFile, ReadsAnywhere) {
  const TempFolder folder;
  const auto file = open_file(folder.write("a file 显卡.bin", "0123456789"));
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ((*file)->size(), 10U);
  EXPECT_EQ(read_text(**file, 0, 10), "0123456789");
  EXPECT_EQ(read_text(**file, 7, 3), "789");
  EXPECT_EQ(read_text(**file, 10, 0), "");
}

TEST(OpenFile, ReadsNothingPastTheEnd) {
  const TempFolder folder;
  const auto file = open_file(folder.write("x", "0123456789"));
  ASSERT_TRUE(file);
  std::array<std::byte, 4> out{};
  const auto done = (*file)->read(8, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::truncated);
  EXPECT_EQ(done.error().what, "needs 4 bytes at offset 8, but the file has 10");
  EXPECT_FALSE((*file)->read(UINT64_MAX, out));
}

TEST(OpenFile, SaysThatAFileShrank) {
  const TempFolder folder;
  const std::string path = folder.write("x", std::string(10000, 'a'));
  const auto file = open_file(path);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(folder.native("x"), 5000);
  EXPECT_EQ(read_text(**file, 100, 3), "aaa");
  std::array<std::byte, 100> out{};
  const auto done = (*file)->read(4990, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::changed);
  EXPECT_EQ(done.error().what,
            "became shorter while it was read: had 10000 bytes, now ends before 5090");
}

TEST(OpenFile, SharesOneSourceBetweenThreads) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i) + ",";
  }
  const auto file = open_file(folder.write("x", text));
  ASSERT_TRUE(file);
  std::atomic<int> wrong{0};
  parallel_for(
      400,
      [&](std::size_t i) {
        const std::size_t offset = i * 600;
        wrong += read_text(**file, offset, 500) == text.substr(offset, 500) ? 0 : 1;
      },
      8);
  EXPECT_EQ(wrong, 0);
}

TEST(OpenFile, NamesTheFault) {
  const TempFolder folder;
  const auto missing = open_file(folder.path("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().what, "no such file or folder");

  const auto directory = open_file(folder.path());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::special_file);
  EXPECT_EQ(directory.error().what, "is a folder, not a file");

  EXPECT_EQ(open_file(folder.write("x", "y") + "\0.bin"s).error().code, ErrorCode::not_found);
  EXPECT_EQ(open_file("").error().code, ErrorCode::not_found);
}

TEST(FileStatus, TellsKindSizeTimeAndIdentity) {
  const TempFolder folder;
  const auto a = file_status(folder.write("a", "12345"));
  const auto b = file_status(folder.write("b", ""));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->kind, FileKind::regular);
  EXPECT_EQ(a->size, 5U);
  EXPECT_EQ(a->device, b->device);
  EXPECT_NE(a->inode, b->inode);
  EXPECT_GT(a->modified_ns, std::int64_t{1'700'000'000} * 1'000'000'000);
  EXPECT_EQ(file_status(folder.path())->kind, FileKind::directory);
  EXPECT_EQ(file_status(folder.path("none"))->kind, FileKind::missing);
  EXPECT_EQ(file_status(folder.path("none/deeper"))->kind, FileKind::missing);
  EXPECT_EQ(file_status(folder.path("a") + "\0"s)->kind, FileKind::missing);
}

TEST(ReadTextFile, RespectsTheCap) {
  const TempFolder folder;
  const std::string path = folder.write("x", std::string(40000, 'z'));
  EXPECT_EQ(read_text_file(path, 40000)->size(), 40000U);
  EXPECT_EQ(read_text_file(path, 39999).error().code, ErrorCode::limit);
  EXPECT_EQ(read_text_file(folder.write("empty", ""), 0).value(), "");
}

TEST(ListDirectory, GivesNamesInOrderWithTheirKinds) {
  const TempFolder folder;
  folder.write("b.so", "");
  folder.write("A/inside", "");
  folder.write("显卡", "");
  const auto entries = list_directory(folder.path());
  ASSERT_TRUE(entries) << entries.error().what;
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].name, "A");
  EXPECT_EQ((*entries)[0].kind, FileKind::directory);
  EXPECT_EQ((*entries)[1].name, "b.so");
  EXPECT_EQ((*entries)[1].kind, FileKind::regular);
  EXPECT_EQ((*entries)[2].name, "显卡");
  EXPECT_TRUE(list_directory(folder.path("A") + path_separator())->size() == 1U);
  std::filesystem::create_directory(folder.native("empty"));
  EXPECT_TRUE(list_directory(folder.path("empty"))->empty());
  EXPECT_EQ(list_directory(folder.path("none")).error().code, ErrorCode::not_found);
  EXPECT_EQ(list_directory(folder.path("b.so")).error().code, ErrorCode::not_found);
}

TEST(Paths, JoinAndTakeApart) {
  const std::string s(1, path_separator());
  EXPECT_EQ(join_path("a", "b"), "a" + s + "b");
  EXPECT_EQ(join_path("a" + s, "b"), "a" + s + "b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(file_name("a/b.so"), "b.so");
  EXPECT_EQ(file_name("b.so"), "b.so");
  EXPECT_EQ(file_name("a/"), "");
  EXPECT_EQ(parent_path("a/b"), "a");
  EXPECT_EQ(parent_path("a//b"), "a");
  EXPECT_EQ(parent_path("b"), "");
  EXPECT_EQ(parent_path("/b"), "/");
  EXPECT_EQ(parent_path("/"), "");
  EXPECT_EQ(parent_path(""), "");
}

TEST(RealPath, GivesTheNameBackWhenThereIsNoSuchFile) {
  const TempFolder folder;
  EXPECT_EQ(real_path(folder.path("none")), folder.path("none"));
  const std::string path = folder.write("x", "");
  EXPECT_EQ(file_name(real_path(path)), "x");
  EXPECT_EQ(file_status(real_path(path))->inode, file_status(path)->inode);
}

}  // namespace
}  // namespace plumb

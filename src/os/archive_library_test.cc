// SPDX-License-Identifier: Apache-2.0
#include "os/archive_library.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/file.h"

namespace plumb {
namespace {

// tests/conda/sample-1.2-cuda129_0.tar.bz2: info/index.json, lib/small.txt, a symlink, ../evil,
// lib/large.bin (160 blocks of 256 KiB, block i filled with i % 251), lib/last.txt.
const std::string kSample = PLUMB_TESTS_DIR "/conda/sample-1.2-cuda129_0.tar.bz2";

std::string read_text(const Source& member, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  const auto done = member.read(offset, std::as_writable_bytes(std::span(text)));
  return done ? text : std::string(error_code_name(done.error().code));
}

bool have_library() {
  const MemorySource nothing{std::string_view("BZh")};
  const auto done =
      read_archive(nothing, [](const auto&, const auto&) -> Result<void> { return {}; });
  return done || done.error().code != ErrorCode::unsupported;
}

#define NEEDS_LIBRARY()                                         \
  if (!have_library()) {                                        \
    GTEST_SKIP() << "this system has no libarchive with bzip2"; \
  }

TEST(ArchiveLibrary, WhereThereIsNoneItIsOneErrorWithAHint) {
  const MemorySource nothing{std::string_view("BZh")};
  const auto done =
      read_archive(nothing, [](const auto&, const auto&) -> Result<void> { return {}; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().hints.empty(), done.error().code != ErrorCode::unsupported);
}

TEST(ArchiveLibrary, VisitsRegularFilesAndReadsThemAnywhere) {
  NEEDS_LIBRARY();
  const auto file = open_file(kSample);
  ASSERT_TRUE(file);
  std::vector<std::string> names;
  const auto done =
      read_archive(**file, [&](const std::string& name, const Source& member) -> Result<void> {
        names.push_back(name + " " + std::to_string(member.size()));
        if (name == "lib/large.bin") {
          const auto expect = [&](std::uint64_t block) {
            EXPECT_EQ(read_text(member, block * 262144 + 262142, 2),
                      std::string(2, static_cast<char>(block % 251)));
          };
          // To the end; back to what is kept of the beginning; to what is not; and forward again.
          for (const std::uint64_t block : {0, 159, 3, 158, 40, 41, 20, 100, 0, 159}) {
            expect(block);
          }
          EXPECT_EQ(read_text(member, 262143, 2), std::string("\0\1", 2));
          EXPECT_EQ(read_text(member, member.size() - 1, 2), "truncated");
          EXPECT_EQ(read_text(member, ~std::uint64_t{0}, 1), "truncated");
        }
        if (name == "lib/last.txt") {
          EXPECT_EQ(read_text(member, 0, 5), "last\n");
        }
        return {};
      });
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(names, (std::vector<std::string>{"info/index.json 182", "lib/small.txt 6", "../evil 1",
                                             "lib/large.bin 41943040", "lib/last.txt 5"}));
}

TEST(ArchiveLibrary, ErrorsOfTheVisitorAndOfTheFileComeBack) {
  NEEDS_LIBRARY();
  const auto file = open_file(kSample);
  ASSERT_TRUE(file);
  int visits = 0;
  const auto stopped = read_archive(**file, [&](const auto&, const auto&) -> Result<void> {
    ++visits;
    return fail(ErrorCode::limit, "enough");
  });
  EXPECT_EQ(stopped.error().what, "enough");
  EXPECT_EQ(visits, 1);
  const SliceSource cut(**file, 0, (*file)->size() / 2);
  const auto broken = read_archive(cut, [&](const auto&, const Source& member) -> Result<void> {
    std::byte last{};
    return member.read(member.size() - 1, {&last, 1});
  });
  EXPECT_FALSE(broken);
  const MemorySource other{std::string_view("PK and so on")};
  EXPECT_EQ(
      read_archive(other, [](const auto&, const auto&) -> Result<void> { return {}; }).error().code,
      ErrorCode::malformed);
}

}  // namespace
}  // namespace plumb

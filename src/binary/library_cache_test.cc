// SPDX-License-Identifier: Apache-2.0
#include "binary/library_cache.h"

#include <gtest/gtest.h>

#include "support/test_files.h"

namespace plumb {
namespace {

void put32(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

struct Entry {
  std::uint32_t flags;
  std::string name;
  std::string path;
};

std::string new_cache(const std::vector<Entry>& entries) {
  std::string bytes = "glibc-ld.so.cache1.1";
  put32(bytes, static_cast<std::uint32_t>(entries.size()));
  bytes.resize(48, '\0');
  std::string strings;
  const std::size_t base = 48 + entries.size() * 24;
  for (const Entry& entry : entries) {
    put32(bytes, entry.flags);
    put32(bytes, static_cast<std::uint32_t>(base + strings.size()));
    strings += entry.name + '\0';
    put32(bytes, static_cast<std::uint32_t>(base + strings.size()));
    strings += entry.path + '\0';
    bytes.append(12, '\0');
  }
  return bytes + strings;
}

const std::vector<Entry> kEntries = {{0x0003, "libcuda.so.1", "/usr/lib32/libcuda.so.1"},
                                     {0x0303, "libcuda.so.1", "/usr/lib64/libcuda.so.1"},
                                     {0x0303, "libcuda.so.1", "/opt/other/libcuda.so.1"}};

TEST(LibraryCache, TheFirstOfTheRightMachineWins) {
  const auto cache = parse_library_cache(new_cache(kEntries), "x86_64");
  ASSERT_TRUE(cache);
  EXPECT_EQ(find_in_cache(*cache, "libcuda.so.1"), "/usr/lib64/libcuda.so.1");
  EXPECT_EQ(find_in_cache(*cache, "libcudart.so.13"), "");
}

TEST(LibraryCache, TheOldTableInFrontIsSkipped) {
  std::string old = "ld.so-1.7.0";
  old += '\0';
  put32(old, 2);
  old.append(2 * 12, '\1');
  old.resize((old.size() + 7) / 8 * 8, '\0');
  const auto cache = parse_library_cache(old + new_cache(kEntries), "x86_64");
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->size(), 2U);
}

TEST(LibraryCache, TheOldTableAlone) {
  std::string old = "ld.so-1.7.0";
  old += '\0';
  put32(old, 2);
  for (const auto& [flags, name, path] :
       {std::tuple{0x0003U, 0U, 10U}, std::tuple{0x0303U, 0U, 27U}}) {
    put32(old, flags);
    put32(old, name);
    put32(old, path);
  }
  constexpr char kStrings[] = "libc.so.6\0/lib32/libc.so.6\0/lib/libc.so.6\0";
  old.append(kStrings, sizeof kStrings);
  const auto cache = parse_library_cache(old, "x86_64");
  ASSERT_TRUE(cache);
  EXPECT_EQ(find_in_cache(*cache, "libc.so.6"), "/lib/libc.so.6");
}

TEST(LibraryCache, TheBestLevelOfTheProcessorWins) {
  const std::vector<CachedLibrary> cache = {{"libz.so.1", "/v4/libz.so.1", "x86-64-v4"},
                                            {"libz.so.1", "/v2/libz.so.1", "x86-64-v2"},
                                            {"libz.so.1", "/v3/libz.so.1", "x86-64-v3"},
                                            {"libz.so.1", "/libz.so.1", ""}};
  const std::vector<std::string> levels = {"x86-64-v3", "x86-64-v2"};
  EXPECT_EQ(find_in_cache(cache, "libz.so.1", levels), "/v3/libz.so.1");
  EXPECT_EQ(find_in_cache(cache, "libz.so.1"), "/libz.so.1");
}

TEST(LibraryCache, LevelsAreNamedInTheExtension) {
  const auto file = test::read_test_file("../fuzz/corpus/library_cache/levels");
  const auto cache = parse_library_cache(as_text(file), "x86_64");
  ASSERT_TRUE(cache);
  const std::vector<std::string> levels = {"x86-64-v3"};
  EXPECT_EQ(find_in_cache(*cache, "libz.so.1", levels), "/lib/hw/libz.so.1");
  EXPECT_EQ(find_in_cache(*cache, "libz.so.1"), "/lib/libz.so.1");
}

TEST(LibraryCache, LiesAreErrors) {
  EXPECT_FALSE(parse_library_cache("", "x86_64"));
  EXPECT_FALSE(parse_library_cache("glibc-ld.so.cache1.1", "x86_64"));
  std::string bytes = new_cache(kEntries);
  EXPECT_FALSE(parse_library_cache(bytes.substr(0, 60), "x86_64"));
  bytes[20] = '\xff';
  bytes[23] = '\x7f';
  EXPECT_EQ(parse_library_cache(bytes, "x86_64").error().code, ErrorCode::limit);
  // Every cut ends in an error or fewer entries, never past the end.
  const std::string whole = new_cache(kEntries);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto cache = parse_library_cache(std::string(whole.substr(0, length)), "x86_64");
    EXPECT_TRUE(!cache || cache->size() <= 2);
  }
}

}  // namespace
}  // namespace plumb

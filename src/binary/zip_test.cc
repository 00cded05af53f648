// SPDX-License-Identifier: Apache-2.0
#include "binary/zip.h"

#include <gtest/gtest.h>

#include <string>

#include "support/zip_builder.h"

namespace plumb {
namespace {

using test::build_zip;
using test::put16;
using test::put32;
using test::put64;

Result<ZipDirectory> read(const std::string& bytes) {
  const MemorySource source{std::string_view(bytes)};
  return read_zip_directory(source);
}

/// The code of the archive's error, or of its first member's fault; empty if all is well.
std::string code_of(const std::string& bytes) {
  const auto directory = read(bytes);
  if (!directory) {
    return "archive: " + std::string(error_code_name(directory.error().code));
  }
  for (const ZipEntry& entry : directory->entries) {
    if (entry.fault) {
      return std::string(error_code_name(entry.fault->code));
    }
  }
  return {};
}

test::ZipFile two_members() {
  return build_zip({{"a.txt", test::sample_text(5000)}, {"b/c.txt", "stored", false}});
}

TEST(Zip, ListsMembersInDirectoryOrder) {
  const auto directory = read(two_members().bytes);
  ASSERT_TRUE(directory);
  ASSERT_EQ(directory->entries.size(), 2u);
  EXPECT_EQ(directory->entries[0].name, "a.txt");
  EXPECT_EQ(directory->entries[0].method, kZipDeflated);
  EXPECT_EQ(directory->entries[0].size, 5000u);
  EXPECT_EQ(find_member(*directory, "b/c.txt")->size, 6u);
  EXPECT_EQ(find_member(*directory, "c.txt"), nullptr);
}

TEST(Zip, ReadsZip64CommentsAndArchivesBehindOtherBytes) {
  EXPECT_EQ(code_of(build_zip({{"a", "x", true, true}}, {.zip64_end = true}).bytes), "");
  EXPECT_EQ(code_of(build_zip({{"a", "x"}}, {.comment = "PK\5\6 a comment"}).bytes), "");
  EXPECT_EQ(code_of(build_zip({{"a", "x"}}, {.comment = std::string(65535, '#')}).bytes), "");
  EXPECT_EQ(code_of(build_zip({}).bytes), "");
  for (const bool zip64 : {false, true}) {
    const auto zip =
        build_zip({{"a", "x", true, zip64}}, {.prefix = std::string(300, 'P'), .zip64_end = zip64});
    const auto directory = read(zip.bytes);
    ASSERT_TRUE(directory) << directory.error().what;
    EXPECT_FALSE(directory->entries[0].fault);
    EXPECT_EQ(directory->entries[0].header_offset, 300u);
  }
}

TEST(Zip, EveryCutIsNoticed) {
  const auto zip = build_zip({{"a", "x", true, true}, {"b", "y"}}, {.zip64_end = true});
  for (std::size_t size = 0; size < zip.bytes.size(); ++size) {
    EXPECT_FALSE(read(zip.bytes.substr(0, size))) << size;
  }
  EXPECT_EQ(code_of(zip.bytes.substr(0, zip.end)), "archive: truncated");
  EXPECT_EQ(code_of("MZ, something else"), "archive: malformed");
  EXPECT_EQ(code_of(zip.bytes + "more"), "archive: malformed");
}

TEST(Zip, RefusesADirectoryThatIsNotWhereOrWhatTheEndRecordSays) {
  const auto honest = two_members();
  const auto patched = [&](auto patch) {
    auto zip = honest;
    patch(zip);
    return code_of(zip.bytes);
  };
  const std::string malformed = "archive: malformed";
  EXPECT_EQ(patched([](auto& zip) { put32(zip.bytes, zip.end + 16, 0xfffffff0); }), malformed);
  EXPECT_EQ(patched([](auto& zip) { put32(zip.bytes, zip.end + 12, 0x7fffffff); }), malformed);
  EXPECT_EQ(patched([](auto& zip) {
              put16(zip.bytes, zip.end + 8, 3);
              put16(zip.bytes, zip.end + 10, 3);
            }),
            malformed);
  EXPECT_EQ(patched([](auto& zip) {
              put16(zip.bytes, zip.end + 8, 1);
              put16(zip.bytes, zip.end + 10, 1);
            }),
            malformed);
  EXPECT_EQ(patched([](auto& zip) { put32(zip.bytes, zip.central[1], 0); }), malformed);
  EXPECT_EQ(patched([](auto& zip) { put16(zip.bytes, zip.central[1] + 28, 65535); }), malformed);
  EXPECT_EQ(patched([](auto& zip) { put16(zip.bytes, zip.end + 4, 1); }), "archive: unsupported");
}

TEST(Zip, RefusesAZip64RecordThatDisagreesOrLiesElsewhere) {
  const auto honest = build_zip({{"a", "x"}}, {.zip64_end = true});
  auto zip = honest;
  put64(zip.bytes, zip.end - 12, 7);  // the locator
  EXPECT_EQ(code_of(zip.bytes), "archive: malformed");
  zip = honest;
  put16(zip.bytes, zip.end + 8, 2);
  put16(zip.bytes, zip.end + 10, 2);
  EXPECT_EQ(code_of(zip.bytes), "archive: malformed");
  zip = honest;
  put64(zip.bytes, zip.end64 + 48, ~std::uint64_t{0});
  EXPECT_EQ(code_of(zip.bytes), "archive: malformed");
  zip = honest;
  put64(zip.bytes, zip.end64 + 32, 1'000'000);
  EXPECT_EQ(code_of(zip.bytes), "archive: limit");
  zip = honest;
  put64(zip.bytes, zip.end64 + 32, 200'000);
  EXPECT_EQ(code_of(zip.bytes), "archive: malformed");  // no room for so many
}

TEST(Zip, AFaultyMemberDoesNotHideTheOthers) {
  const auto honest = two_members();
  const auto fault = [&](auto patch) -> std::string {
    auto zip = honest;
    patch(zip.bytes, zip.central[0]);
    const auto directory = read(zip.bytes);
    if (!directory || directory->entries.size() != 2 || directory->entries[1].fault) {
      return "the other member is lost";
    }
    const auto& error = directory->entries[0].fault;
    return error ? std::string(error_code_name(error->code)) : "";
  };
  EXPECT_EQ(fault([](auto& bytes, auto at) { put16(bytes, at + 8, 1); }), "encrypted");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put16(bytes, at + 10, 99); }), "encrypted");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put16(bytes, at + 10, 14); }), "unsupported");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put16(bytes, at + 8, 0x20); }), "unsupported");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put32(bytes, at + 42, 0x7fffffff); }), "malformed");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put32(bytes, at + 42, 0xffffffff); }), "malformed");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put32(bytes, at + 20, 0x7fffffff); }), "malformed");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put16(bytes, at + 10, 0); }), "malformed");
  EXPECT_EQ(fault([](auto& bytes, auto at) { put32(bytes, at + 24, 0x7fffffff); }), "limit");
}

TEST(Zip, RefusesNamesThatLeadElsewhere) {
  for (const std::string name :
       {"/etc/passwd", "../up", "a/../../up", "a/..", "..", "a\\b", "C:/x", "c:x", ""}) {
    const auto directory = read(build_zip({{name, "x"}, {"fine", "y"}}).bytes);
    ASSERT_TRUE(directory) << name;
    ASSERT_TRUE(directory->entries[0].fault) << name;
    EXPECT_EQ(directory->entries[0].fault->code, ErrorCode::malformed) << name;
    EXPECT_FALSE(directory->entries[1].fault) << name;
  }
  const auto nul = read(build_zip({{std::string("a\0b", 3), "x"}}).bytes);
  ASSERT_TRUE(nul && nul->entries[0].fault);
  EXPECT_EQ(nul->entries[0].fault->where.find('\0'), std::string::npos);
  const auto escape = read(build_zip({{"\x1b[2J/../\xff", "x"}}).bytes);
  ASSERT_TRUE(escape && escape->entries[0].fault);
  EXPECT_EQ(escape->entries[0].fault->where.find('\x1b'), std::string::npos);
  EXPECT_EQ(code_of(build_zip({{"a..b/...", "x"}, {"dir/", "", false}, {"z:", "no drive"}}).bytes),
            "malformed");
  EXPECT_EQ(code_of(build_zip({{"a..b/...", "x"}, {"dir/", "", false}, {"\xff\xfe", "y"}}).bytes),
            "");
}

TEST(Zip, MembersThatShareBytesAreRefusedAllOfThem) {
  auto zip = build_zip({{"a", test::sample_text(4000)}, {"b", "x"}, {"c", "y"}, {"d", "z"}});
  put32(zip.bytes, zip.central[1] + 42, static_cast<std::uint32_t>(zip.local[0] + 100));
  put32(zip.bytes, zip.central[2] + 42, static_cast<std::uint32_t>(zip.local[0] + 200));
  const auto directory = read(zip.bytes);
  ASSERT_TRUE(directory);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(directory->entries[i].fault) << i;
    EXPECT_EQ(directory->entries[i].fault->code, ErrorCode::malformed);
  }
  EXPECT_FALSE(directory->entries[3].fault);
}

TEST(Zip, TwoMembersOfOneNameAreRefused) {
  const auto directory = read(build_zip({{"a", "x"}, {"b", "x"}, {"a", "y"}}).bytes);
  ASSERT_TRUE(directory);
  EXPECT_TRUE(directory->entries[0].fault);
  EXPECT_FALSE(directory->entries[1].fault);
  EXPECT_TRUE(directory->entries[2].fault);
}

TEST(Zip, AnArchiveThatWouldUnpackToGigabytesIsABomb) {
  const auto claiming = [](int count) {
    std::vector<test::ZipMember> members;
    for (int i = 0; i < count; ++i) {
      members.push_back({"member" + std::to_string(i), test::sample_text(60'000), false});
    }
    auto zip = build_zip(members);
    for (const std::size_t at : zip.central) {
      put16(zip.bytes, at + 10, kZipDeflated);
      put32(zip.bytes, at + 24, 60'000'000);  // a thousand times: what deflate can just do
    }
    return code_of(zip.bytes);
  };
  EXPECT_EQ(claiming(10), "");
  EXPECT_EQ(claiming(20), "archive: limit");
}

}  // namespace
}  // namespace plumb

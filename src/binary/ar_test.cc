// SPDX-License-Identifier: Apache-2.0
#include "binary/ar.h"

#include <gtest/gtest.h>

#include <string>

#include "support/zip_builder.h"

namespace plumb {
namespace {

/// One member as it stands in an archive; `name` raw, `claimed` the size that its header tells
/// (default: the truth).
std::string member(const std::string& name, const std::string& data,
                   const std::string& claimed = {}) {
  std::string header(60, ' ');
  header.replace(0, name.size(), name);
  const std::string size = claimed.empty() ? std::to_string(data.size()) : claimed;
  header.replace(48, size.size(), size);
  header.replace(58, 2, "`\n");
  return header + data + (data.size() % 2 == 1 ? "\n" : "");
}

const std::string kMagic = "!<arch>\n";

Result<ArFile> read(const std::string& bytes) {
  return read_ar(MemorySource(std::string_view(bytes)));
}

ArFile must_read(const std::string& bytes) {
  auto archive = read(bytes);
  EXPECT_TRUE(archive) << archive.error().what;
  return archive ? *std::move(archive) : ArFile{};
}

std::vector<std::string> names(const ArFile& archive) {
  std::vector<std::string> all;
  for (const ArMember& one : archive.members) {
    all.push_back(one.name);
  }
  return all;
}

TEST(Ar, ListsMembersOfGnuArchives) {
  const std::string bytes = kMagic + member("/", "symbols") +
                            member("//", "a_rather_long_name.o/\nanother_long_name.o/\n") +
                            member("short.o/", "odd") + member("/0", "first") +
                            member("/22", "second");
  EXPECT_TRUE(looks_like_ar(std::as_bytes(std::span(bytes))));
  const ArFile archive = must_read(bytes);
  EXPECT_TRUE(archive.faults.empty());
  EXPECT_EQ(names(archive),
            (std::vector<std::string>{"short.o", "a_rather_long_name.o", "another_long_name.o"}));
  const ArMember& last = archive.members[2];
  EXPECT_EQ(bytes.substr(last.offset, last.size), "second");
}

TEST(Ar, ListsMembersOfBsdArchives) {
  const std::string table = "__.SYMDEF SORTED" + std::string(4, '\0') + "symbols";
  const ArFile archive =
      must_read(kMagic + member("#1/20", table) + member("__.SYMDEF", "s") +
                member("#1/12", std::string("name of 9.o\0data", 16)) + member("old.o", "old"));
  EXPECT_TRUE(archive.faults.empty());
  EXPECT_EQ(names(archive), (std::vector<std::string>{"name of 9.o", "old.o"}));
  EXPECT_EQ(archive.members[0].size, 4U);
}

/// A short import object, as lib.exe writes them.
std::string import_object(const std::string& symbol, const std::string& dll) {
  std::string bytes(20, '\0');
  test::put16(bytes, 2, 0xffff);
  test::put16(bytes, 6, 0x8664);
  test::put32(bytes, 12, static_cast<std::uint32_t>(symbol.size() + dll.size() + 2));
  return bytes + symbol + std::string(1, '\0') + dll + std::string(1, '\0');
}

TEST(Ar, TellsWhatAnImportLibraryImports) {
  std::string bigobj(20, '\0');
  test::put16(bigobj, 2, 0xffff);
  test::put16(bigobj, 4, 2);
  const ArFile archive = must_read(
      kMagic + member("/", "first linker member") + member("/", "second linker member") +
      member("//", std::string("cudart64_12_long.dll\0", 21)) + member("/<ECSYMBOLS>/", "ec") +
      member("/0", import_object("cudaMalloc", "cudart64_12_long.dll")) +
      member("big.obj/", bigobj));
  EXPECT_TRUE(archive.faults.empty());
  ASSERT_EQ(archive.members.size(), 2U);
  EXPECT_EQ(archive.members[0].name, "cudart64_12_long.dll");
  EXPECT_EQ(archive.members[0].import_dll, "cudart64_12_long.dll");
  EXPECT_EQ(archive.members[1].import_dll, "");
}

TEST(Ar, TakesAnEmptyArchive) {
  EXPECT_TRUE(must_read(kMagic).members.empty());
}

TEST(Ar, SaysWhyAFileIsNone) {
  EXPECT_EQ(read("").error().code, ErrorCode::not_binary);
  EXPECT_EQ(read("!<arch>").error().code, ErrorCode::not_binary);
  EXPECT_EQ(read("!<brch>\n").error().code, ErrorCode::not_binary);
  EXPECT_EQ(read("!<thin>\n" + member("a.o/", "")).error().code, ErrorCode::unsupported);
  EXPECT_FALSE(looks_like_ar({}));
}

TEST(Ar, KeepsTheMembersBeforeTheFault) {
  const std::string good = kMagic + member("a.o/", "data");
  const auto fault = [&good](const std::string& tail) {
    const ArFile archive = must_read(good + tail);
    EXPECT_EQ(names(archive), std::vector<std::string>{"a.o"});
    EXPECT_EQ(archive.faults.size(), 1U);
    return archive.faults.empty() ? ErrorCode::internal : archive.faults[0].code;
  };
  EXPECT_EQ(fault(member("b.o/", "data", "5000")), ErrorCode::truncated);
  EXPECT_EQ(fault(member("b.o/", "data", "9999999999")), ErrorCode::truncated);
  EXPECT_EQ(fault(member("b.o/", "data", "-1")), ErrorCode::malformed);
  EXPECT_EQ(fault(member("b.o/", "data", "4 4")), ErrorCode::malformed);
  EXPECT_EQ(fault("short"), ErrorCode::truncated);
  EXPECT_EQ(fault(std::string(60, 'x')), ErrorCode::malformed);
  EXPECT_EQ(fault(member("#1/999", "data")), ErrorCode::malformed);
}

TEST(Ar, KeepsMembersWhoseNamesPointNowhere) {
  const ArFile archive =
      must_read(kMagic + member("//", "no_end") + member("/0", "a") + member("/77", "b"));
  EXPECT_EQ(names(archive), (std::vector<std::string>{"", ""}));
  ASSERT_EQ(archive.faults.size(), 1U);  // once is enough
  EXPECT_EQ(archive.faults[0].code, ErrorCode::malformed);
}

TEST(Ar, SaysThatAnImportObjectIsCutOff) {
  std::string object = import_object("cudaMalloc", "cudart64_12.dll");
  object.pop_back();
  const ArFile archive = must_read(kMagic + member("x.dll/", object));
  EXPECT_EQ(archive.members.size(), 1U);
  EXPECT_EQ(archive.faults.size(), 1U);
}

TEST(Ar, LimitsMembers) {
  std::string bytes = kMagic;
  const std::string one = member("a.o/", "");
  for (int i = 0; i < 200'000; ++i) {
    bytes += one;
  }
  EXPECT_EQ(read(bytes).error().code, ErrorCode::limit);
}

TEST(Ar, SurvivesEveryDamagedByteAndEveryPrefix) {
  const std::string bytes = kMagic + member("//", "long_enough_a_name.o/\n") + member("/0", "a") +
                            member("#1/4", "bsd.data") + member("x/", import_object("f", "x.dll"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const char value : {'\0', '/', '9', '\xff'}) {
      std::string damaged = bytes;
      damaged[i] = value;
      static_cast<void>(read(damaged));
    }
    const auto prefix = read(bytes.substr(0, i));
    EXPECT_TRUE(!prefix || prefix->members.size() < 3U);
  }
}

}  // namespace
}  // namespace plumb

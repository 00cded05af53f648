// SPDX-License-Identifier: Apache-2.0
#include "observe/inspect.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "support/elf_builder.h"
#include "support/fatbin_builder.h"
#include "support/temp_folder.h"
#include "support/zip_builder.h"

namespace plumb {
namespace {

std::string gpu_library(std::uint16_t sm) {
  test::ElfSpec spec;
  spec.soname = "libx.so";
  spec.sections = {{".nv_fatbin", test::simple_fatbin(sm) + test::simple_fatbin(sm)}};
  return test::build_elf(spec).bytes;
}

std::string wheel(std::vector<test::ZipMember> members, const std::string& record = "") {
  members.push_back(
      {"x-1.0.dist-info/METADATA",
       "Metadata-Version: 2.1\nName: x\nVersion: 1.0\nRequires-Dist: nvidia-cublas==13.1\n"
       "Requires-Dist: numpy\n\n"});
  members.push_back({"x-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n"});
  members.push_back({"x-1.0.dist-info/RECORD", record});
  return test::build_zip(members).bytes;
}

Inspection inspect(const test::TempFolder& folder, const std::string& name,
                   const InspectOptions& options = {}) {
  return inspect_paths({join_path(folder.path(), name)}, options);
}

TEST(InspectPaths, AWheelIsFollowedByItsBinariesInOrderAndHoldsTheirUnion) {
  const test::TempFolder folder;
  folder.write("x-1.0-py3-none-any.whl", wheel({{"x/b.so", gpu_library(90)},
                                                {"x/a.so", gpu_library(75)},
                                                {"x/plain.py", "print(1)"}}));
  const Inspection result = inspect(folder, "x-1.0-py3-none-any.whl");
  EXPECT_TRUE(result.errors.empty());
  ASSERT_EQ(result.files.size(), 3U);
  ASSERT_TRUE(result.files[0].package);
  EXPECT_EQ(result.files[0].package->name, "x");
  EXPECT_EQ(result.files[0].package->gpu_requires, std::vector<std::string>{"nvidia-cublas==13.1"});
  EXPECT_EQ(result.files[0].member_count, 2U);
  EXPECT_EQ(result.files[0].facts.gpu.containers.size(), 4U);
  EXPECT_EQ(result.files[1].facts.path, "x/a.so");
  EXPECT_EQ(result.files[2].facts.path, "x/b.so");
  EXPECT_EQ(result.files[2].facts.gpu.places.at(result.files[2].facts.gpu.containers.at(0).place),
            ".nv_fatbin");
}

TEST(InspectPaths, AMemberReadsTheSameAsTheFileItBecomes) {
  const test::TempFolder folder;
  const std::string library = gpu_library(86);
  folder.write("x.so", library);
  folder.write("x-1.0-py3-none-any.whl", wheel({{"x.so", library}, {"stored.so", library, false}}));
  const Inspection file = inspect(folder, "x.so");
  const Inspection archive = inspect(folder, "x-1.0-py3-none-any.whl");
  ASSERT_EQ(file.files.size(), 1U);
  ASSERT_EQ(archive.files.size(), 3U);
  for (const std::size_t i : {1U, 2U}) {
    const BinaryFacts& member = archive.files[i].facts;
    const BinaryFacts& whole = file.files[0].facts;
    EXPECT_EQ(member.name, whole.name);
    EXPECT_EQ(member.size, whole.size);
    ASSERT_EQ(member.gpu.containers.size(), whole.gpu.containers.size());
    for (std::size_t j = 0; j < whole.gpu.containers.size(); ++j) {
      EXPECT_EQ(member.gpu.containers[j].offset, whole.gpu.containers[j].offset);
    }
  }
}

TEST(InspectPaths, VerifyNamesTheMemberThatRecordDisagreesWith) {
  const test::TempFolder folder;
  folder.write("x-1.0-py3-none-any.whl",
               wheel({{"x/a.py", "print(1)"}},
                     "x/a.py,sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,8\n"));
  const Inspection result = inspect(folder, "x-1.0-py3-none-any.whl", {.verify = true});
  ASSERT_FALSE(result.errors.empty());
  bool found = false;
  for (const InspectError& error : result.errors) {
    found = found || (error.path == "x/a.py" && error.error.code == ErrorCode::mismatch);
  }
  EXPECT_TRUE(found);
}

TEST(InspectPaths, ABrokenMemberLeavesTheOthersAlone) {
  const test::TempFolder folder;
  std::string library = gpu_library(90);
  test::ZipFile zip = test::build_zip({{"good.so", library}, {"bad.so", library}});
  zip.bytes[zip.data[1] + 20] = static_cast<char>(zip.bytes[zip.data[1] + 20] ^ 0x55);
  folder.write("x-1.0-py3-none-any.whl", zip.bytes);
  const Inspection result = inspect(folder, "x-1.0-py3-none-any.whl");
  EXPECT_EQ(result.files.size(), 2U);  // the wheel and the good member
  bool named = false;
  for (const InspectError& error : result.errors) {
    named = named || error.path == "bad.so";
  }
  EXPECT_TRUE(named);
}

TEST(InspectPaths, ATextThatWasNamedIsNoBinaryButInAFolderItIsPassedOver) {
  const test::TempFolder folder;
  folder.write("words", "hello");
  EXPECT_TRUE(inspect_paths({folder.path()}, {}).errors.empty());
  const Inspection named = inspect(folder, "words");
  ASSERT_EQ(named.errors.size(), 1U);
  EXPECT_EQ(named.errors[0].error.code, ErrorCode::not_binary);
}

TEST(InspectPaths, AnEmptyLibraryIsABrokenInstallAnEmptyMarkerIsNothing) {
  const test::TempFolder folder;
  folder.write("REQUESTED", "");
  folder.write("libx.so.1", "");
  const Inspection result = inspect_paths({folder.path()}, {});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].path, join_path(folder.path(), "libx.so.1"));
  EXPECT_EQ(result.errors[0].error.code, ErrorCode::truncated);
}

}  // namespace
}  // namespace plumb

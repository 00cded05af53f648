// SPDX-License-Identifier: Apache-2.0
#include "binary/conda.h"

#include <gtest/gtest.h>

#include <string>

#include "support/zip_builder.h"

namespace plumb {
namespace {

using Strings = std::vector<std::string>;

/// A stand-in for the reader of tars: "archives" that are lists of names, one a line.
Result<void> read_lines(const Source& archive, const VisitMember& visit) {
  PLUMB_ASSIGN(const auto bytes, read_range(archive, 0, archive.size(), 1000));
  std::string name;
  for (const char c : as_text(bytes)) {
    if (c == '\n') {
      PLUMB_TRY(visit(name, archive));
      name.clear();
    } else {
      name += c;
    }
  }
  return {};
}

Result<Strings> members_of(const std::string& package) {
  const MemorySource source{std::string_view(package)};
  Strings found;
  auto done = read_conda(
      source, read_lines,
      [&](const std::string& name, const Source&) -> Result<void> {
        found.push_back(name);
        return {};
      },
      [&](Error fault) { found.push_back("fault: " + fault.where); });
  if (!done) {
    return std::unexpected(done.error());
  }
  return found;
}

TEST(Conda, SplitsFileNamesFromTheRight) {
  const auto name = parse_conda_name("cuda-nvcc-impl-12.9.86-h85509e4_2.conda");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "cuda-nvcc-impl");
  EXPECT_EQ(name->version, "12.9.86");
  EXPECT_EQ(name->build, "h85509e4_2");
  EXPECT_TRUE(parse_conda_name("a-1-0.tar.bz2"));
  for (const char* wrong :
       {"a.conda", "a-1.conda", "-1-0.conda", "a--0.conda", "a-1-.conda", ".conda", "a-1-0.zip"}) {
    EXPECT_FALSE(parse_conda_name(wrong)) << wrong;
  }
}

TEST(Conda, ReadsBothKindsInfoFirst) {
  const auto zip = test::build_zip({{"metadata.json", "{}", false},
                                    {"pkg-a-1-0.tar.zst", "lib/liba.so\n../up\n/etc/x\n", false},
                                    {"info-a-1-0.tar.zst", "info/index.json\n", true}});
  EXPECT_EQ(members_of(zip.bytes).value(),
            (Strings{"info/index.json", "lib/liba.so", "fault: ../up", "fault: /etc/x"}));
  EXPECT_EQ(members_of("BZh\n").value(), Strings{"BZh"});
  EXPECT_EQ(members_of("what").error().code, ErrorCode::malformed);
  EXPECT_EQ(members_of(test::build_zip({{"a.txt", "x"}}).bytes).error().code, ErrorCode::malformed);
}

TEST(Conda, ReadsItsIndex) {
  const auto index = parse_conda_index(
      R"({"name":"a","version":"1","build":"0","subdir":"linux-64","depends":["x >=1",7],"constrains":3})");
  ASSERT_TRUE(index);
  EXPECT_EQ(index->subdir, "linux-64");
  EXPECT_EQ(index->depends, Strings{"x >=1"});
  EXPECT_TRUE(index->constrains.empty());
  EXPECT_FALSE(parse_conda_index("[]"));
  EXPECT_FALSE(parse_conda_index(R"({"name":"a","version":1})"));
  EXPECT_FALSE(parse_conda_index(std::string(100'000, '[')));
  EXPECT_FALSE(parse_conda_index("{\"name\":\"\xff\",\"version\":\"1\"}"));
  EXPECT_EQ(parse_conda_index(std::string(5 << 20, ' ')).error().code, ErrorCode::limit);
}

TEST(Conda, FindsRequirementsOnGpuPackages) {
  EXPECT_EQ(conda_gpu_requirements({"python >=3.12", "__cuda >=12", "cuda-version >=12.9,<13",
                                    "libcurl", "libcublas >=12", "cudnn", "pytorch 2.9.* cuda129*",
                                    "libnvme", "triton 3.5.0"}),
            (Strings{"__cuda >=12", "cuda-version >=12.9,<13", "libcublas >=12", "cudnn",
                     "pytorch 2.9.* cuda129*", "triton 3.5.0"}));
}

}  // namespace
}  // namespace plumb

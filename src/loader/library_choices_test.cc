// SPDX-License-Identifier: Apache-2.0
#include "loader/library_choices.h"

#include <gtest/gtest.h>

#include "loader/fake_files_test.h"

namespace plumb {
namespace {

test::ElfSpec library(std::string soname, std::vector<std::string> needed = {}) {
  test::ElfSpec spec;
  spec.soname = std::move(soname);
  spec.needed = std::move(needed);
  return spec;
}

TEST(LibraryChoices, TheChosenFileItsRuleAndTheLosers) {
  test::FakeFiles files;
  test::ElfSpec torch = library("libtorch_cuda.so", {"libcudnn.so.9"});
  torch.rpath = "$ORIGIN/../../nvidia/cudnn/lib";
  files.add_elf("/s/torch/lib/libtorch_cuda.so", torch);
  files.add_elf("/s/nvidia/cudnn/lib/libcudnn.so.9", library("libcudnn.so.9"));
  files.add_elf("/usr/lib/libcudnn.so.9", library("libcudnn.so.9"));
  files.add_elf("/opt/cuda/lib64/libcudnn.so.9", library("libcudnn.so.9"));
  test::ElfSpec arm = library("libcudnn.so.9");
  arm.machine = 183;
  files.add_elf("/usr/lib/aarch64/libcudnn.so.9", arm);
  LinuxProcess process(files, usual_linux_settings());
  ASSERT_TRUE(process.start("/s/torch/lib/libtorch_cuda.so", LoadMode::trace).object);
  const auto choices = tree_choices(process, 0, {"/opt/cuda/lib64", "/usr/lib/aarch64"});
  ASSERT_EQ(choices.size(), 1U);
  const LibraryChoice& cudnn = choices.front();
  EXPECT_EQ(cudnn.path, "/s/torch/lib/../../nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(cudnn.rule, "RPATH");
  EXPECT_EQ(cudnn.needed_by, std::vector<std::string>{"/s/torch/lib/libtorch_cuda.so"});
  ASSERT_EQ(cudnn.losers.size(), 3U);
  EXPECT_EQ(cudnn.losers[0].path, "/usr/lib/libcudnn.so.9");
  EXPECT_EQ(cudnn.losers[0].why, "comes later in the search: default folder");
  EXPECT_EQ(cudnn.losers[1].why, "lies in no folder that is searched for it");
  EXPECT_EQ(cudnn.losers[2].why, "is for aarch64, not x86_64");
}

TEST(LibraryChoices, AMissingLibraryIsToldWithTheCopiesThatAreNotSearched) {
  test::FakeFiles files;
  files.add_elf("/s/a.so", library("a.so", {"libcudart.so.12", "libgone.so"}));
  files.add_elf("/usr/local/cuda/lib64/libcudart.so.12", library("libcudart.so.12"));
  LinuxProcess process(files, usual_linux_settings());
  ASSERT_TRUE(process.start("/s/a.so", LoadMode::trace).object);
  const auto choices = tree_choices(process, 0, {"/usr/local/cuda/lib64"});
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_FALSE(choices[0].found);
  EXPECT_NE(choices[0].fault.find("No such file"), std::string::npos);
  ASSERT_EQ(choices[0].losers.size(), 1U);
  EXPECT_EQ(choices[0].losers[0].path, "/usr/local/cuda/lib64/libcudart.so.12");
  EXPECT_TRUE(choices[1].losers.empty());
}

TEST(LibraryChoices, NamesAsPeopleWriteThem) {
  EXPECT_TRUE(names_library("cudnn", "/x/libcudnn.so.9"));
  EXPECT_TRUE(names_library("libcudnn.so", "libcudnn.so.9"));
  EXPECT_TRUE(names_library("CUDNN", "C:\\x\\cudnn64_9.dll"));
  EXPECT_TRUE(names_library("cudnn64_9.dll", "cudnn64_9.dll"));
  EXPECT_FALSE(names_library("cudnn", "libcudnn_ops.so.9"));
  EXPECT_FALSE(names_library("libcudnn.so.8", "libcudnn.so.9"));
}

}  // namespace
}  // namespace plumb

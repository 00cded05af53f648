// SPDX-License-Identifier: Apache-2.0
#include "observe/cudnn_sets.h"

#include <gtest/gtest.h>

#include <array>

#include "observe/cuda_software.h"
#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr std::array kNine = {
    "cudnn",       "cudnn_adv",       "cudnn_cnn", "cudnn_engines_precompiled",
    "cudnn_graph", "cudnn_heuristic", "cudnn_ops", "cudnn_engines_runtime_compiled"};

void write_linux_set(const FakeHost& fake, const std::string& folder, const std::string& version) {
  for (const char* part : kNine) {
    fake.write(folder + "/lib" + part + ".so." + version, test::linux_library({}));
  }
}

std::string header(int major, int minor, int patch) {
  return "#define CUDNN_MAJOR " + std::to_string(major) + "\n#define CUDNN_MINOR " +
         std::to_string(minor) + "\n#define CUDNN_PATCHLEVEL " + std::to_string(patch) + "\n";
}

TEST(CudnnSets, AWholeOneWithItsHeader) {
  FakeHost fake("linux");
  write_linux_set(fake, "usr/lib/x86_64-linux-gnu", "9.14.0");
  fake.write("usr/include/x86_64-linux-gnu/cudnn_version.h", header(9, 14, 0));
  fake.write("usr/include/nccl.h",
             "#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 3\n");
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 1U);
  const CudnnSet& set = software.cudnn[0];
  EXPECT_EQ(set.folder, "/usr/lib/x86_64-linux-gnu");
  EXPECT_EQ(set.major, 9U);
  EXPECT_EQ(set.version, "9.14.0");
  EXPECT_TRUE(set.missing.empty());
  EXPECT_TRUE(set.agree);
  EXPECT_EQ(set.header.value, "9.14.0");
  EXPECT_TRUE(set.header_agrees);
  ASSERT_EQ(software.headers.size(), 2U);
  EXPECT_EQ(software.headers[1].family, HeaderFamily::nccl);
  EXPECT_EQ(software.headers[1].version.value, "2.28.3");
}

TEST(CudnnSets, AnotherHeaderThanTheLibrary) {
  FakeHost fake("linux");
  write_linux_set(fake, "usr/lib/x86_64-linux-gnu", "9.14.0");
  fake.write("usr/include/cudnn_version.h", header(8, 9, 7));
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 1U);
  EXPECT_EQ(software.cudnn[0].header.value, "8.9.7");
  EXPECT_FALSE(software.cudnn[0].header_agrees);
}

TEST(CudnnSets, HalfCopiedIntoAToolkit) {
  FakeHost fake("windows");
  const std::string bin = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8/bin/";
  fake.write(bin + "cudnn64_8.dll", test::dll_of_version({8, 9, 7, 29}));
  fake.write(bin + "cudnn_ops_infer64_8.dll", test::dll_of_version({8, 9, 7, 29}));
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 1U);
  EXPECT_EQ(software.cudnn[0].major, 8U);
  EXPECT_EQ(software.cudnn[0].origin, "toolkit");
  EXPECT_EQ(software.cudnn[0].parts.size(), 2U);
  EXPECT_EQ(software.cudnn[0].missing.size(), 5U);
  EXPECT_EQ(software.cudnn[0].version, "8.9.7");
  EXPECT_TRUE(software.cudnn[0].agree);
}

TEST(CudnnSets, MixedVersionsAndTwoMajors) {
  FakeHost fake("windows");
  fake.set("PATH", "C:\\dnn");
  fake.write("dnn/cudnn64_9.dll", test::dll_of_version({9, 10, 2, 21}));
  fake.write("dnn/cudnn_ops64_9.dll", test::dll_of_version({9, 1, 0, 70}));
  fake.write("dnn/cudnn_graph64_9.dll", test::windows_library({}));  // has no version resource
  fake.write("dnn/cudnn64_8.dll", test::dll_of_version({8, 9, 7, 29}));
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 2U);
  EXPECT_EQ(software.cudnn[0].major, 8U);
  const CudnnSet& nine = software.cudnn[1];
  EXPECT_EQ(nine.parts.size(), 3U);
  EXPECT_EQ(nine.version, "9.10.2");
  EXPECT_FALSE(nine.agree);
}

TEST(CudnnSets, TheInstallersHeaderLiesInAFolderOfItsOwn) {
  FakeHost fake("windows");
  const std::string top = "Program Files/NVIDIA/CUDNN/v9.14/";
  fake.write(top + "bin/12.9/x64/cudnn64_9.dll", test::dll_of_version({9, 14, 0, 64}));
  fake.write(top + "include/12.9/cudnn_version.h", header(9, 14, 0));
  fake.write(top + "include/13.0/cudnn_version.h", header(9, 13, 0));
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 1U);
  EXPECT_EQ(software.cudnn[0].header.value, "9.14.0");
}

TEST(CudnnSets, TwoFilesOfOnePart) {
  FakeHost fake("linux");
  write_linux_set(fake, "usr/lib64", "9.14.0");
  fake.write("usr/lib64/libcudnn_ops.so.9.1.0", test::linux_library({}));
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cudnn.size(), 1U);
  EXPECT_EQ(software.cudnn[0].parts.size(), 9U);
  EXPECT_FALSE(software.cudnn[0].agree);
}

}  // namespace
}  // namespace plumb

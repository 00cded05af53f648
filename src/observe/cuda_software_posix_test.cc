// SPDX-License-Identifier: Apache-2.0
// CUDA on Linux is installed as chains of links, which Windows cannot make.
#include "observe/cuda_software.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

void link(const FakeHost& fake, const std::string& target, std::string_view name) {
  std::filesystem::create_directories(std::filesystem::path(fake.path(name)).parent_path());
  std::filesystem::create_symlink(target, fake.path(name));
}

/// As NVIDIA's packages lie on the machine with an H200 of tests/real/h200.
void write_packaged_toolkit(const FakeHost& fake) {
  const std::string target = "usr/local/cuda-13.0/targets/x86_64-linux/";
  fake.write(target + "include/cuda.h", "#define CUDA_VERSION 13000\n");
  fake.write(target + "lib/libcudart.so.13.0.96", test::linux_library({}));
  link(fake, "libcudart.so.13.0.96", target + "lib/libcudart.so.13");
  link(fake, "libcudart.so.13", target + "lib/libcudart.so");
  link(fake, "libnowhere.so", target + "lib/libcublas.so.13");
  link(fake, "targets/x86_64-linux/include", "usr/local/cuda-13.0/include");
  link(fake, "targets/x86_64-linux/lib", "usr/local/cuda-13.0/lib64");
  link(fake, "/usr/local/cuda-13.0", "etc/alternatives/cuda");
  link(fake, "/etc/alternatives/cuda", "usr/local/cuda");
  link(fake, "/usr/local/cuda-13.0", "etc/alternatives/cuda-13");
  link(fake, "/etc/alternatives/cuda-13", "usr/local/cuda-13");
}

TEST(CudaSoftwareLinks, ManyNamesAreOneToolkit) {
  FakeHost fake("linux");
  write_packaged_toolkit(fake);
  link(fake, "/usr/local/gone", "usr/local/cuda-9");
  fake.set("CUDA_HOME", "/usr/local/cuda");
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cuda.toolkits.size(), 1U);
  const CudaToolkit& toolkit = software.cuda.toolkits[0];
  EXPECT_EQ(toolkit.path, "/usr/local/cuda-13.0");
  EXPECT_EQ(toolkit.names, (std::vector<std::string>{"/usr/local/cuda", "/usr/local/cuda-13"}));
  EXPECT_EQ(toolkit.include_folders.size(), 1U);
  EXPECT_EQ(toolkit.library_folders.size(), 1U);
  EXPECT_EQ(software.cuda.pointers[0].toolkit, toolkit.path);
}

TEST(CudaSoftwareLinks, ManyNamesAreOneLibrary) {
  FakeHost fake("linux");
  write_packaged_toolkit(fake);
  fake.set("LD_LIBRARY_PATH", "/usr/local/cuda/lib64:/usr/local/cuda-13/targets/x86_64-linux/lib");
  const CudaSoftware software =
      observe_cuda_software(fake.host(),
                            {{.name = "libcudart.so.13",
                              .path = "/usr/local/cuda/targets/x86_64-linux/lib/libcudart.so.13"}},
                            {});
  ASSERT_EQ(software.libraries.size(), 1U);  // the link to nowhere is none
  const CudaLibraryCopy& copy = software.libraries[0];
  EXPECT_EQ(copy.path, "/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudart.so.13.0.96");
  EXPECT_EQ(copy.version.value, "13.0.96");
  EXPECT_EQ(copy.sightings.size(), 4U);  // three names in the toolkit, one in the cache
}

TEST(CudaSoftwareLinks, LinksOfCompilersTellTheirVersions) {
  FakeHost fake("linux");
  fake.write("usr/bin/x86_64-linux-gnu-gcc-12", "a");
  fake.write("usr/lib/llvm-18/bin/clang", "b");
  link(fake, "x86_64-linux-gnu-gcc-12", "usr/bin/gcc-12");
  link(fake, "gcc-12", "usr/bin/gcc");
  link(fake, "../lib/llvm-18/bin/clang", "usr/bin/clang");
  link(fake, "/usr/bin/gone", "usr/bin/g++");
  fake.set("PATH", "/usr/bin");
  const HostCompilers all = observe_cuda_software(fake.host(), {}, {}).compilers;
  ASSERT_EQ(all.compilers.size(), 2U);
  EXPECT_EQ(all.compilers[0].version.value, "18");
  EXPECT_EQ(all.compilers[1].version.value, "12");
  EXPECT_EQ(all.compilers[1].names.size(), 3U);
  EXPECT_TRUE(all.compilers[1].first_on_path);
}

}  // namespace
}  // namespace plumb

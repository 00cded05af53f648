// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_library_copies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/cuda_software.h"
#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

const CudaLibraryCopy* find(const CudaSoftware& software, std::string_view family) {
  const auto hit = std::ranges::find(software.libraries, family, &CudaLibraryCopy::family);
  return hit == software.libraries.end() ? nullptr : &*hit;
}

TEST(CudaLibraries, NamesThatCount) {
  EXPECT_TRUE(is_cuda_family_file("libcublasLt.so.13", false));
  EXPECT_TRUE(is_cuda_family_file("cudart64_12.dll", true));
  EXPECT_TRUE(is_cuda_family_file("ZLIBWAPI.DLL", true));
  EXPECT_FALSE(is_cuda_family_file("npptools.dll", true));  // Windows' own
  EXPECT_FALSE(is_cuda_family_file("libcudart_static.a", false));
  EXPECT_FALSE(is_cuda_family_file("cudart64_12.dll", false));
}

TEST(CudaLibraries, WhereTheyAreFoundOnLinux) {
  FakeHost fake("linux");
  fake.write("usr/local/cuda-12.8/lib64/libcublas.so.12.8.4.1");
  fake.write("site/nvidia/cublas/lib/libcublas.so.12");
  fake.write("site/torch/lib/libnvToolsExt.so.1");
  fake.write("usr/lib/x86_64-linux-gnu/libnccl.so.2.28.3", test::linux_library({}));
  fake.write("mine/stubs/libnvrtc.so");
  fake.set("LD_LIBRARY_PATH", "/mine/stubs::/none");
  const CudaSoftware software = observe_cuda_software(
      fake.host(),
      {{.name = "libnccl.so.2", .path = "/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.3"}},
      {fake.path("site")});
  EXPECT_EQ(software.libraries.size(), 5U);
  const CudaLibraryCopy* nccl = find(software, "nccl");
  ASSERT_NE(nccl, nullptr);
  EXPECT_EQ(nccl->version.value, "2.28.3");
  EXPECT_EQ(nccl->machine, "x86_64");
  EXPECT_EQ(nccl->sightings[0].place, LibraryPlace::cache);
  ASSERT_NE(find(software, "nvrtc"), nullptr);
  EXPECT_TRUE(find(software, "nvrtc")->stub);
  EXPECT_EQ(find(software, "nvtoolsext")->sightings[0].place, LibraryPlace::wheel);
  EXPECT_EQ(find(software, "cublas")->version.value, "12.8.4.1");
}

TEST(CudaLibraries, WhereTheyAreFoundOnWindows) {
  FakeHost fake("windows");
  fake.write("Windows/System32/zlibwapi.dll", test::dll_of_version({1, 2, 3, 0}));
  fake.write("Program Files/NVIDIA/CUDNN/v9.14/bin/12.9/x64/cudnn64_9.dll",
             test::dll_of_version({9, 14, 0, 64}));
  fake.write("Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0/bin/x64/cublas64_13.dll");
  fake.write("tools/cufft64_11.dll");
  fake.write("conda/conda-meta/history");
  fake.write("conda/Library/bin/curand64_10.dll");
  fake.set("PATH", "C:\\tools;C:\\TOOLS\\;C:\\none");
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {fake.path("conda")});
  ASSERT_EQ(software.libraries.size(), 5U);
  EXPECT_EQ(find(software, "zlibwapi")->sightings[0].place, LibraryPlace::system);
  EXPECT_EQ(find(software, "zlibwapi")->machine, "x86_64");
  EXPECT_EQ(find(software, "cudnn")->sightings[0].place, LibraryPlace::cudnn_installer);
  EXPECT_EQ(find(software, "cudnn")->version.value, "9.14.0.64");
  EXPECT_EQ(find(software, "cublas")->sightings[0].place, LibraryPlace::toolkit);
  EXPECT_EQ(find(software, "cufft")->sightings[0].path, "C:\\tools\\cufft64_11.dll");
  EXPECT_EQ(find(software, "curand")->sightings[0].place, LibraryPlace::conda);
}

TEST(CudaLibraries, TheRuntimesDescriptionTellsMoreThanItsNumber) {
  FakeHost fake("windows");
  test::PeVersion info;
  info.file = {6, 14, 11, 12080};
  info.tables = {{.strings = {{u"FileDescription", u"NVIDIA CUDA Runtime, Version 12.8.90 "}}}};
  test::PeDescription runtime;
  runtime.resources.push_back({.type = 16, .data = test::build_version_info(info)});
  fake.write("site/nvidia/cuda_runtime/bin/cudart64_12.dll", test::build_pe(runtime).bytes);
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {fake.path("site")});
  ASSERT_EQ(software.libraries.size(), 1U);
  EXPECT_EQ(software.libraries[0].version.value, "12.8.90");
  EXPECT_EQ(software.libraries[0].sightings[0].place, LibraryPlace::wheel);
}

TEST(CudaLibraries, OfAnEndlessPathEachFolderOnce) {
  FakeHost fake("windows");
  fake.make_folder("Windows/System32");
  std::string path;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "d" + std::to_string(i);
    if (i % 1000 == 0) {
      fake.write(name + "/cudart64_12.dll", "no library");
    }
    path += "C:\\" + name + ";C:\\" + name + "\\;";
  }
  fake.set("PATH", path);
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  EXPECT_EQ(software.folders_listed, 6U);  // those that exist, each once
  EXPECT_EQ(software.libraries.size(), 5U);
  EXPECT_TRUE(software.libraries[0].version.fault);  // its headers are no headers
  EXPECT_TRUE(software.errors.empty());
}

TEST(CudaLibraries, NoMoreFoldersThanAllowed) {
  FakeHost fake("linux");
  std::string path;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "d" + std::to_string(i);
    fake.make_folder(name);
    path += "/" + name + ":";
  }
  fake.set("LD_LIBRARY_PATH", path);
  CudaFiles files(fake.host());
  const LibraryCopies found = find_cuda_libraries(files, {}, {}, {}, 8);
  EXPECT_EQ(found.folders_listed, 8U);
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].code, ErrorCode::limit);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/distributions.h"

#include <gtest/gtest.h>

#include "observe/package_files.h"
#include "observe/version_files.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

using test::TempFolder;

const Distribution* find(const std::vector<Distribution>& list, std::string_view name) {
  for (const Distribution& distribution : list) {
    if (distribution.normalized == name) {
      return &distribution;
    }
  }
  return nullptr;
}

TEST(Distributions, NamesComeFromFoldersAndGpuPackagesAreRead) {
  TempFolder folder;
  folder.write("Torch_X-1.0.dist-info/METADATA", "not looked at");
  folder.write("torch-2.14.1.dist-info/METADATA",
               "Metadata-Version: 2.4\nName: torch\nVersion: 2.14.1\nRequires-Dist: "
               "nvidia-cudnn-cu13==9.24.0.43\n\nLong text\n");
  folder.write("PyYAML-6.0.egg-info/PKG-INFO", "Name: PyYAML\nVersion: 6.0\n");
  folder.write("old_thing-1.2-py3.11.egg-info", "Name: old-thing\nVersion: 1.2\n");
  folder.write("~orch-2.1.0.dist-info/METADATA", "Name: torch\nVersion: 2.1.0\n");
  folder.write("torch/version.py", "");
  std::vector<Error> errors;
  const auto list = list_distributions({folder.path()}, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(list.size(), 4U);
  const Distribution* torch = find(list, "torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_TRUE(torch->gpu_project);
  EXPECT_EQ(torch->requires_dist.size(), 1U);
  ASSERT_NE(find(list, "old-thing"), nullptr);
  EXPECT_EQ(find(list, "old-thing")->version, "1.2");
  ASSERT_NE(find(list, "torch-x"), nullptr);
  EXPECT_TRUE(find(list, "torch-x")->requires_dist.empty());
}

TEST(Distributions, WhatPipListsToo) {
  TempFolder folder;
  folder.write("site/Upper-1.0.DIST-INFO/METADATA", "Name: Upper\nVersion: 1.0\n");
  folder.write("site/my-old-thing-1.0_beta.dist-info/METADATA",
               "Name: my-old-thing\nVersion: 1.0-beta\n");
  folder.write("site/noversion.egg-info/PKG-INFO", "Name: NoVersion\nVersion: 3\n");
  folder.write("site/easy-1.5-py3.8.egg/EGG-INFO/PKG-INFO", "Name: easy\nVersion: 1.5\n");
  folder.write("site/zipped-1.5-py3.8.egg", "PK");
  folder.write("site/linked.egg-link", folder.path("src") + "\n.\n");
  folder.write("site/dead.egg-link", folder.path("nowhere") + "\n.\n");
  folder.write("src/Linked.egg-info/PKG-INFO", "Name: Linked\nVersion: 0.1\n");
  folder.write("src/unrelated.egg-info/PKG-INFO", "Name: unrelated\nVersion: 0.1\n");
  folder.write("site/-roken-1.0.dist-info/METADATA", "");
  std::vector<Error> errors;
  const auto list = list_distributions({folder.path("site")}, errors);
  EXPECT_TRUE(errors.empty());
  std::vector<std::string> names;
  for (const Distribution& distribution : list) {
    names.push_back(distribution.normalized + " " + distribution.version);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"easy 1.5", "linked 0.1", "my-old-thing 1.0-beta",
                                             "noversion 3", "upper 1.0"}));
}

TEST(Distributions, DamagedOnesAreErrorsAndStillListed) {
  TempFolder folder;
  folder.write("torch-2.1.0.dist-info/RECORD", "");
  folder.write("cupy_cuda12x-13.0.0.dist-info/METADATA", std::string("\xff\xfe\0\0garbage", 11));
  std::vector<Error> errors;
  const auto list = list_distributions({folder.path(), folder.path("missing")}, errors);
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(errors.size(), 3U);
  for (const Error& error : errors) {
    EXPECT_FALSE(error.where.empty());
  }
  EXPECT_EQ(find(list, "torch")->version, "2.1.0");
}

TEST(Distributions, TheFirstFolderWins) {
  TempFolder folder;
  folder.write("user/torch-2.1.0.dist-info/METADATA", "Name: torch\nVersion: 2.1.0\n");
  folder.write("system/torch-2.5.0.dist-info/METADATA", "Name: torch\nVersion: 2.5.0\n");
  std::vector<Error> errors;
  const auto list = list_distributions({folder.path("user"), folder.path("system")}, errors);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.front().version, "2.1.0");
}

TEST(Distributions, CondaPackagesByFileName) {
  TempFolder folder;
  folder.write("conda-meta/pytorch-2.5.1-py3.12_cuda12.6_cudnn9.5.1_0.json", "");
  folder.write("conda-meta/python_abi-3.12-5_cp312.json", "");
  folder.write("conda-meta/history", "");
  const auto list = list_conda_packages(folder.path());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].name, "pytorch");
  EXPECT_EQ(list[1].version, "2.5.1");
  EXPECT_EQ(list[1].build, "py3.12_cuda12.6_cudnn9.5.1_0");
}

TEST(PackageFiles, RecordsAreReadForLibrariesInsideTheFolder) {
  const auto list = libraries_of_record(
      "torch/lib/libtorch_cuda.so,sha256=x,502842281\r\n"
      "torch/__init__.py,sha256=x,100\n"
      "torch\\lib\\torch_cuda.dll,sha256=x,7\n"
      "\"odd, name/x.pyd\",sha256=x,5\n"
      "lib/libx.so.1.2,,\n"
      "../../../bin/evil.so,sha256=x,1\n"
      "/abs/evil.so,,1\nC:/evil.dll,,1\n"
      "notes.so.txt,,\n");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].path, "torch/lib/libtorch_cuda.so");
  EXPECT_EQ(list[0].size, 502842281U);
  EXPECT_EQ(list[1].path, "torch/lib/torch_cuda.dll");
  EXPECT_EQ(list[2].path, "odd, name/x.pyd");
  EXPECT_EQ(list[3].path, "lib/libx.so.1.2");
}

TEST(PackageFiles, WithoutARecordTheFolderIsWalked) {
  TempFolder folder;
  folder.write("torch/lib/libtorch_cuda.so", "1234");
  folder.write("torch/lib/readme.txt", "");
  Distribution distribution;
  distribution.site = folder.path();
  distribution.info = "torch-2.1.0.egg-info";
  const auto list = owned_libraries(distribution, {"torch"});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.front().path, "torch/lib/libtorch_cuda.so");
  EXPECT_EQ(list.front().size, 4U);
}

TEST(VersionFiles, TorchInItsManySpellings) {
  const BuildNote gpu = parse_torch_version(
      "from typing import Optional\n\n__all__ = ['__version__', 'cuda']\n"
      "__version__ = '2.14.1+cu130'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n");
  EXPECT_EQ(gpu.version, "2.14.1+cu130");
  EXPECT_EQ(gpu.cuda, "13.0");
  EXPECT_EQ(gpu.other_gpu, "");
  const BuildNote cpu = parse_torch_version("__version__ = '2.14.1+cpu'\ncuda = None\n");
  EXPECT_TRUE(cpu.says_cuda);
  EXPECT_FALSE(cpu.cuda);
  EXPECT_EQ(parse_torch_version("cuda = None\nhip = '6.4.1'\n").other_gpu, "ROCm 6.4.1");
  EXPECT_FALSE(parse_torch_version("").says_cuda);
  EXPECT_FALSE(parse_torch_version("cuda_version_of_something = '1'\n").says_cuda);
}

TEST(VersionFiles, PaddleTensorFlowAndOnnxRuntime) {
  const BuildNote paddle = parse_paddle_version(
      "full_version     = '2.6.2'\ncuda_version     = '11.8'\ncudnn_version    = '8.6.0'\n");
  EXPECT_EQ(paddle.version, "2.6.2");
  EXPECT_EQ(paddle.cuda, "11.8");
  EXPECT_EQ(paddle.cudnn, "8.6.0");
  EXPECT_FALSE(parse_paddle_version("cuda_version = 'False'\n").cuda);
  const BuildNote windows = parse_tensorflow_build_info(
      "build_info = collections.OrderedDict([('cuda_version', '64_112'), ('cudnn_version', "
      "'64_8'), ('is_cuda_build', True), ('is_rocm_build', False)])");
  EXPECT_EQ(windows.cuda, "11.2");
  EXPECT_EQ(windows.cudnn, "8");
  const BuildNote cpu = parse_tensorflow_build_info("([('is_cuda_build', False)])");
  EXPECT_TRUE(cpu.says_cuda);
  EXPECT_FALSE(cpu.cuda);
  EXPECT_EQ(
      parse_tensorflow_build_info("(\"is_cuda_build\", True), (\"cuda_version\", \"12.5.1\")").cuda,
      "12.5.1");
  EXPECT_EQ(parse_onnxruntime_info("package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\n"
                                   "cuda_version = '13.0'")
                .cuda,
            "13.0");
}

TEST(VersionFiles, PackageNamesTellCuda) {
  EXPECT_EQ(cuda_of_package_name("jax-cuda13-plugin"), "13");
  EXPECT_EQ(cuda_of_package_name("cupy-cuda12x"), "12");
  EXPECT_EQ(cuda_of_package_name("cupy-cuda112"), "11.2");
  EXPECT_EQ(cuda_of_package_name("mxnet-cu118"), "11.8");
  EXPECT_FALSE(cuda_of_package_name("torch"));
  EXPECT_FALSE(cuda_of_package_name("cupy-cuda"));
}

}  // namespace
}  // namespace plumb

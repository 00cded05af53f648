// SPDX-License-Identifier: Apache-2.0
#include "binary/nvidia_names.h"

#include <gtest/gtest.h>

#include <string_view>

namespace plumb {
namespace {

TEST(NvidiaNames, StemsOfBothSystemsAndOfWheelRepairTools) {
  for (const std::string_view name :
       {"libcublasLt.so", "libcublasLt.so.13", "libcublasLt.so.12.8.4.1", "cublasLt64_12.dll",
        "CUBLASLT64_12.DLL", "libcublasLt-9335f6a2.so.11.4", "cublasLt64_12-0c5bd.dll",
        "/usr/local/cuda/lib64/libcublasLt.so.12", "C:\\CUDA\\bin\\cublasLt64_12.dll"}) {
    EXPECT_EQ(library_stem(name), "cublaslt") << name;
  }
  EXPECT_EQ(library_stem("nvrtc-builtins64_130.dll"), "nvrtc-builtins");
  EXPECT_EQ(library_stem("libnvrtc-builtins.so.13.0"), "nvrtc-builtins")
      << "no hash, though a dash";
  EXPECT_EQ(library_stem("nvrtc64_120_0.dll"), "nvrtc");
  EXPECT_EQ(library_stem("cudnn_ops_infer64_8.dll"), "cudnn_ops_infer");
  EXPECT_EQ(library_stem("cudart64_110.dll"), "cudart");
  EXPECT_EQ(library_stem("64"), "64");
  EXPECT_EQ(library_stem(""), "");
  EXPECT_EQ(library_stem("lib"), "");
  EXPECT_EQ(library_stem("_123.dll"), "");
}

TEST(NvidiaNames, WhatNvidiaShips) {
  for (const std::string_view name :
       {"libcudnn.so.9", "libcudnn_engines_precompiled.so.9", "cudnn64_9.dll", "libnccl.so.2",
        "libnvinfer_plugin.so.10", "nppial64_12.dll", "libcufftw.so.11", "libnvJitLink.so.12",
        "libnvshmem_host.so.3", "cusparse64_12.dll", "libcupti.so.12", "libnvToolsExt.so.1"}) {
    EXPECT_TRUE(is_nvidia_library(name)) << name;
    EXPECT_TRUE(is_cuda_library(name)) << name;
  }
  for (const std::string_view name : {"libtorch_cuda.so", "onnxruntime_providers_cuda.dll",
                                      "libc.so.6", "KERNEL32.dll", "libcudf.so", ""}) {
    EXPECT_FALSE(is_nvidia_library(name)) << name;
    EXPECT_FALSE(is_cuda_library(name)) << name;
  }
  for (const std::string_view driver : {"libcuda.so.1", "nvcuda.dll", "libnvidia-ml.so.1"}) {
    EXPECT_FALSE(is_nvidia_library(driver)) << driver << ": no part of the toolkit";
    EXPECT_TRUE(is_cuda_library(driver)) << driver;
  }
}

}  // namespace
}  // namespace plumb

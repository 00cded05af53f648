// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plumb {
namespace {

const Catalog& catalog() {
  return Catalog::builtin();
}

std::string cuda_of_driver(std::string_view system, std::string_view driver) {
  return catalog().cuda_of_driver(system, *Version::parse(driver)).value_or("");
}

TEST(CudaOfDriver, NewestCudaOfABranch) {
  EXPECT_EQ(cuda_of_driver("linux", "580.65.06"), "13.0");
  EXPECT_EQ(cuda_of_driver("linux", "535.309.01"), "12.2");
  EXPECT_EQ(cuda_of_driver("linux", "450.80.02"), "11.0");
  EXPECT_EQ(cuda_of_driver("linux", "390.157"), "9.1");
  EXPECT_EQ(cuda_of_driver("linux", "615.71.09"), "13.4");
}

TEST(CudaOfDriver, WindowsNumbersRunAheadOfTheirBranch) {
  EXPECT_EQ(cuda_of_driver("windows", "536.67"), "12.2");
  EXPECT_EQ(cuda_of_driver("windows", "581.29"), "13.0");
  EXPECT_EQ(cuda_of_driver("windows", "528.33"), "12.0");
  EXPECT_EQ(cuda_of_driver("windows", "454.23"), "11.0");
  EXPECT_EQ(cuda_of_driver("windows", "456.38"), "11.1");
  EXPECT_EQ(cuda_of_driver("windows", "616.29"), "13.4");
}

TEST(CudaOfDriver, SaysNothingOfDriversItDoesNotKnow) {
  EXPECT_EQ(cuda_of_driver("linux", "340.108"), "");
  EXPECT_EQ(cuda_of_driver("linux", "700.10"), "");
  EXPECT_EQ(cuda_of_driver("windows", "999.99"), "");
  EXPECT_EQ(cuda_of_driver("linux", "415.27"), "10.0") << "a beta between two branches";
}

TEST(CudaOfPtxIsa, KnowsTheDriverThatFirstCompilesIt) {
  EXPECT_EQ(catalog().cuda_of_ptx_isa(8, 7), "12.8");
  EXPECT_EQ(catalog().cuda_of_ptx_isa(8, 6), "12.7") << "a driver without a toolkit";
  EXPECT_EQ(catalog().cuda_of_ptx_isa(8, 5), "12.5");
  EXPECT_EQ(catalog().cuda_of_ptx_isa(9, 0), "13.0");
  EXPECT_EQ(catalog().cuda_of_ptx_isa(7, 0), "11.0");
  EXPECT_FALSE(catalog().cuda_of_ptx_isa(8, 9).has_value()) << "never made";
  EXPECT_FALSE(catalog().cuda_of_ptx_isa(12, 0).has_value());
}

TEST(FindCuda, DriversOfAToolkit) {
  const CudaDrivers* row = catalog().find_cuda("12.8");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->full_linux, "570.26");
  EXPECT_EQ(row->min_linux, "525.60.13");
  EXPECT_EQ(row->min_windows, "528.33");
  EXPECT_EQ(catalog().find_cuda("12.8.1"), row);
  EXPECT_EQ(catalog().find_cuda("12"), nullptr);
  EXPECT_EQ(catalog().find_cuda("99.1"), nullptr);
  EXPECT_EQ(catalog().find_cuda("x"), nullptr);
  const CudaDrivers* old = catalog().find_cuda("10.2");
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->min_linux, old->full_linux) << "no minor-version compatibility before CUDA 11";
}

TEST(FindCudaMajor, DriverThatRunsEveryProgramOfTheMajor) {
  ASSERT_NE(catalog().find_cuda_major(11), nullptr);
  EXPECT_EQ(catalog().find_cuda_major(11)->min_linux, "450.80.02");
  EXPECT_EQ(catalog().find_cuda_major(12)->min_linux, "525.60.13");
  EXPECT_EQ(catalog().find_cuda_major(13)->min_windows, "580");
  EXPECT_EQ(catalog().find_cuda_major(99), nullptr);
}

TEST(CudaOfLibrary, TheNameTellsTheVersion) {
  const auto cuda = [](std::string_view name) {
    return catalog().cuda_of_library(name).value_or("");
  };
  EXPECT_EQ(cuda("libcudart.so.12"), "12");
  EXPECT_EQ(cuda("libcudart.so.10.2"), "10.2");
  EXPECT_EQ(cuda("libcudart.so.11.0"), "11") << "the soname of every 11.x";
  EXPECT_EQ(cuda("cudart64_12.dll"), "12");
  EXPECT_EQ(cuda("CUDART64_110.DLL"), "11");
  EXPECT_EQ(cuda("cufft64_11.dll"), "12") << "cuFFT counts differently";
  EXPECT_EQ(cuda("libcufft.so.12"), "13");
  EXPECT_EQ(cuda("nvrtc64_120_0.dll"), "12");
  EXPECT_EQ(cuda("nvJitLink_130_0.dll"), "13");
  EXPECT_EQ(cuda("libcudart-9335f6a2.so.11.0"), "11") << "as auditwheel renames it";
  EXPECT_EQ(cuda("cublas64_12-0c5bd3a1e2f4.dll"), "12") << "as delvewheel renames it";
  EXPECT_EQ(cuda("torch/lib/libcublas.so.12.1.3.1"), "12");
  EXPECT_EQ(cuda("libcurand.so.10"), "") << "10, 11, 12 and 13 all have it";
  EXPECT_EQ(cuda("libcusparse.so.12"), "") << "12 and 13 have it";
  EXPECT_EQ(cuda("libcudart.so"), "");
  EXPECT_EQ(cuda(""), "");
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "judge/gpu_code_notation_test.h"
#include "judge/verdict.h"

namespace plumb {
namespace {

const Catalog& catalog() {
  return Catalog::builtin();
}

BinaryFacts facts(std::string_view code, std::vector<std::string> needs = {},
                  std::uint16_t toolkit = 0) {
  BinaryFacts result;
  result.path = "lib/libx.so";
  result.gpu = gpu_code(code);
  for (GpuImage& image : result.gpu.images) {
    image.toolkit = image.kind == ImageKind::cubin ? toolkit : std::uint16_t{0};
  }
  result.needs = std::move(needs);
  return result;
}

std::string need(const BinaryFacts& binary) {
  const auto found = driver_need(binary, catalog());
  return found ? found->linux_driver + " " + found->windows_driver + " " + found->why : "none";
}

TEST(BuiltWith, NewestOfCubinsAndPtx) {
  EXPECT_EQ(built_with(facts("75 80", {}, 128), catalog()), "12.8");
  EXPECT_EQ(built_with(facts("75 P80:9.1", {}, 130), catalog()), "13.1");
  EXPECT_EQ(built_with(facts("75 P80:8.0", {}, 129), catalog()), "12.9");
  EXPECT_EQ(built_with(facts("P80:7.8"), catalog()), "11.8");
}

TEST(BuiltWith, ElseTheImportedRuntimeTells) {
  EXPECT_EQ(built_with(facts("75", {"libc.so.6", "libcudart.so.12"}), catalog()), "12");
  EXPECT_EQ(built_with(facts("", {"KERNEL32.dll", "cudart64_102.dll"}), catalog()), "10.2");
  EXPECT_EQ(built_with(facts("", {"cufft64_11.dll"}), catalog()), "12");
  EXPECT_EQ(built_with(facts("", {"libcurand.so.10"}), catalog()), std::nullopt);
  BinaryFacts delayed = facts("");
  delayed.delay_needs = {"cublas64_13.dll"};
  EXPECT_EQ(built_with(delayed, catalog()), "13");
  BinaryFacts cublas = facts("");
  cublas.name = "libcublas.so.12";
  EXPECT_EQ(built_with(cublas, catalog()), "12");
  EXPECT_EQ(built_with(facts("75 80", {"libcudart.so.11.0"}, 128), catalog()), "12.8")
      << "what the code says comes first";
  EXPECT_EQ(built_with(facts("75"), catalog()), std::nullopt);
}

TEST(DriverNeed, FirstBranchOfTheMajorFromCuda11On) {
  EXPECT_EQ(need(facts("75 80", {}, 130)),
            "580.65.06 580 built for CUDA 13.0: the oldest driver for any 13.x program is R580");
  EXPECT_EQ(need(facts("75 80", {}, 128)),
            "525.60.13 528.33 built for CUDA 12.8: the oldest driver for any 12.x program is R525");
  EXPECT_EQ(need(facts("75 80", {}, 118)),
            "450.80.02 452.39 built for CUDA 11.8: the oldest driver for any 11.x program is R450");
  EXPECT_EQ(need(facts("", {"libcudart.so.12"})),
            "525.60.13 528.33 needs libraries of CUDA 12: the oldest driver for any 12.x program "
            "is R525");
}

TEST(DriverNeed, OwnToolkitsDriverBefore) {
  EXPECT_EQ(
      need(facts("75", {}, 102)),
      "440.33 441.22 built for CUDA 10.2: before CUDA 11, a program needs the driver of its own "
      "toolkit or a newer one");
  EXPECT_EQ(need(facts("30", {}, 75)),
            "  built for CUDA 7.5: any driver that still supports the card");
  EXPECT_EQ(need(facts("130", {}, 141)),
            "  built for CUDA 14.1, of which this version of plumb knows no drivers");
}

TEST(DriverNeed, PtxCountsOnlyWhereItIsAlone) {
  EXPECT_EQ(need(facts("75 80 P80:9.1", {}, 131)),
            "580.65.06 580 built for CUDA 13.1: the oldest driver for any 13.x program is R580")
      << "the SASS serves";
  EXPECT_EQ(
      need(facts("P80:9.1")),
      "590.44.01 590 built for CUDA 13.1: the oldest driver for any 13.x program is R580; it holds "
      "PTX alone (ISA 9.1), which takes a driver of CUDA 13.1 or newer");
  EXPECT_EQ(need(facts("75- P80:9.1", {}, 131)).substr(0, 13), "590.44.01 590")
      << "a link stub is no SASS";
}

TEST(DriverNeed, OnlyForWhatConcernsCuda) {
  EXPECT_EQ(need(facts("", {"libc.so.6", "libm.so.6"})), "none");
  EXPECT_EQ(need(facts("", {"nvcuda.dll"})),
            "  uses CUDA, and nothing in the file says which version");
  BinaryFacts static_runtime = facts("");
  static_runtime.cudart = Cudart::static_;
  EXPECT_EQ(need(static_runtime), "  uses CUDA, and nothing in the file says which version");
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "judge/gpu_code_notation_test.h"
#include "judge/verdict.h"

namespace plumb {
namespace {

struct Member {
  const char* path;
  const char* code;
};

std::optional<WheelVerdict> judge(const std::vector<Member>& members, ComputeCapability cc) {
  std::vector<BinaryFacts> facts(members.size());
  std::vector<const BinaryFacts*> pointers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    facts[i].path = members[i].path;
    facts[i].gpu = gpu_code(members[i].code);
    pointers.push_back(&facts[i]);
  }
  return judge_wheel(pointers, Card{"", cc}, Catalog::builtin());
}

/// "result rule main: unserved ..."
std::string summary(const std::vector<Member>& members, ComputeCapability cc) {
  const auto verdict = judge(members, cc);
  if (!verdict) {
    return "";
  }
  return std::string(verdict_name(verdict->verdict.result)) + " " + verdict->verdict.rule + " " +
         verdict->main_library + ": " + join(verdict->unserved, " ");
}

const std::vector<Member> kTorch = {
    {"torch/lib/libtorch_cuda.so", "414* 75 80 86 90 100 120 | 57* 75 80 86 90 100 120 100a 103f"},
    {"torch/lib/libtorch_cuda_linalg.so", "3* 80 86 90 100 120 | 75-"},
    {"torch/lib/libc10_cuda.so", "75-"},
    {"torch/lib/libtorch_cpu.so", ""}};

TEST(JudgeWheel, MainLibraryDecidesAndOthersAreNamed) {
  EXPECT_EQ(summary(kTorch, {8, 6}), "native sass.same torch/lib/libtorch_cuda.so: ");
  EXPECT_EQ(summary(kTorch, {7, 5}),
            "partial partial.other_library torch/lib/libtorch_cuda.so: "
            "torch/lib/libtorch_cuda_linalg.so");
  EXPECT_EQ(summary(kTorch, {6, 1}), "none none.no_target torch/lib/libtorch_cuda.so: ");
}

TEST(JudgeWheel, BundledNvidiaLibrariesAreNotItsOwn) {
  const std::vector<Member> members = {{"paddle/base/libpaddle.so", "641* 61 70 75 80 86"},
                                       {"paddle/libs/libcudnn_ops_infer.so.8", "2000* 90 | 10* 35"},
                                       {"x.libs/libcublasLt-9335f6a2.so.11", "3000* 90"},
                                       {"x.libs/cublas64_11-0c5bd3a1.dll", "3000* 90"}};
  EXPECT_EQ(summary(members, {9, 0}), "none none.no_target paddle/base/libpaddle.so: ");
  EXPECT_EQ(summary(members, {8, 9}), "native sass.same_major paddle/base/libpaddle.so: ");
}

TEST(JudgeWheel, WheelsOfNvidiaAreJudgedByTheirLibraries) {
  const std::vector<Member> cudnn = {
      {"nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9", "1379* 75 | 5* 70 | 80 | P121:9.1"},
      {"nvidia/cudnn/lib/libcudnn_ops.so.9", "22* 75 80 90a 100f 120f P121:9.1"},
      {"nvidia/cudnn/lib/libcudnn_graph.so.9", ""}};
  EXPECT_EQ(summary(cudnn, {8, 9}), "native self_dispatching nvidia/cudnn/lib/libcudnn_ops.so.9: ");
  EXPECT_EQ(summary(cudnn, {7, 0}), "none none.no_target nvidia/cudnn/lib/libcudnn_ops.so.9: ")
      << "leftovers for 7.0 in the engines do not make cuDNN run there";
  const std::vector<Member> parts = {{"nvidia/cublas/lib/libcublas.so.12", "193* 75 80 90 120"},
                                     {"nvidia/cublas/lib/libcublasLt.so.12", "900* 80 | 900* 90"},
                                     {"nvidia/cublas/lib/libextra.so.12", ""}};
  EXPECT_EQ(summary(parts, {9, 0}),
            "native self_dispatching nvidia/cublas/lib/libcublasLt.so.12: ");
}

TEST(JudgeWheel, BuildsForSeveralCudaVersionsAreOneLibrary) {
  const std::vector<Member> members = {
      {"bnb/libbitsandbytes_cuda118.so", "6* 60 70 75 80 90 P90"},
      {"bnb/libbitsandbytes_cuda126.so", "6* 60 70 75 80 90 P90"},
      {"bnb/libbitsandbytes_cuda130.so", "6* 75 80 90 100 120 P120"}};
  EXPECT_EQ(summary(members, {12, 0}), "native sass.same bnb/libbitsandbytes_cuda130.so: ");
  EXPECT_EQ(summary(members, {6, 1}), "native sass.same_major bnb/libbitsandbytes_cuda126.so: ");
}

TEST(JudgeWheel, PartlyServedOthersLowerItToo) {
  const std::vector<Member> members = {{"a/main.so", "9* 75 80 90"},
                                       {"a/other.so", "80 90 | 75 80 90"}};
  EXPECT_EQ(summary(members, {7, 5}), "partial partial.other_library a/main.so: a/other.so");
  EXPECT_EQ(summary({{"a/main.so", "9* 75 | 80"}, {"a/x.so", "80"}}, {7, 5}),
            "partial partial a/main.so: a/x.so");
}

TEST(JudgeWheel, WithoutGpuCodeThereIsNoVerdict) {
  EXPECT_EQ(summary({{"torch/lib/torch_cpu.dll", ""}, {"torch/lib/c10.dll", ""}}, {8, 6}), "");
  EXPECT_EQ(summary({{"x/stub.so", "75-"}}, {7, 5}), "") << "a link stub is no GPU code";
  EXPECT_EQ(summary({}, {8, 6}), "");
}

TEST(IsNvidiaRedistributable, ByNameOrSoname) {
  const auto is = [](const char* path, std::optional<std::string> name = std::nullopt) {
    BinaryFacts facts;
    facts.path = path;
    facts.name = std::move(name);
    return is_nvidia_redistributable(facts);
  };
  EXPECT_TRUE(is("nvidia/cublas/lib/libcublasLt.so.12"));
  EXPECT_TRUE(is("x.libs/libcudart-9335f6a2.so.11.0"));
  EXPECT_TRUE(is("torch/lib/cudnn_engines_precompiled64_9.dll"));
  EXPECT_TRUE(is("renamed.bin", "libnccl.so.2"));
  EXPECT_FALSE(is("torch/lib/libtorch_cuda.so", "libtorch_cuda.so"));
  EXPECT_FALSE(is("torch/lib/caffe2_nvrtc.dll"));
  EXPECT_FALSE(is("torch/lib/libtorch_nvshmem.so"));
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "binary/library_version.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb {
namespace {

using Versions = std::map<std::string, std::string>;

/// "c7 07 .." as bytes.
std::string hex(std::string_view text) {
  std::string bytes;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') {
      digits += c;
    }
    if (digits.size() == 2) {
      bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
      digits.clear();
    }
  }
  return bytes;
}

struct Case {
  std::string symbol;
  std::string name;  // of the library
  std::string code;  // in hexadecimal, from the symbol on
  std::string machine = "x86_64";
  bool windows = false;
};

Versions read(const Case& one) {
  const std::string before(32, '\xcc');
  const std::string bytes = before + hex(one.code);
  const MemorySource source{std::string_view(bytes)};
  return read_library_versions(source, one.name, one.machine, one.windows,
                               [&](std::string_view symbol) -> std::optional<std::uint64_t> {
                                 return symbol == one.symbol ? std::optional(before.size())
                                                             : std::nullopt;
                               });
}

TEST(LibraryVersion, FollowsStoresOnLinux) {
  EXPECT_EQ(read({"cufftGetVersion", "libcufft.so.12", "4885ff 7406 c707e02e0000 31c0 c3"}),
            (Versions{{"cufft", "12.0.0"}}));
  EXPECT_EQ(read({"curandGetVersion", "libcurand.so.10", "f30f1efa c70746280000 31c0 c3"}),
            (Versions{{"curand", "10.3.10"}}));
  EXPECT_EQ(read({"cusolverGetVersion", "libcusolver.so.11",
                  "4885ff b803000000 7408 c707892c0000 31c0 f3c3"}),
            (Versions{{"cusolver", "11.4.1"}}));
  EXPECT_EQ(
      read({"ncclGetVersion", "libnccl.so.2", "4885ff 7409 c70719590000 31c0 c3 b804000000 c3"}),
      (Versions{{"nccl", "2.28.9"}}));
  EXPECT_EQ(read({"ncclGetVersion", "libnccl.so.2", "4885ff 7409 c707f30a0000 31c0 c3"}),
            (Versions{{"nccl", "2.8.3"}}));
  EXPECT_EQ(read({"nvrtcVersion", "libnvrtc.so.13",
                  "4885ff 741b 4885f6 7416 c7070d000000 31c0 c70600000000 c3"}),
            (Versions{{"nvrtc", "13.0"}}));
}

TEST(LibraryVersion, FollowsStoresOnWindows) {
  EXPECT_EQ(read({"cufftGetVersion", "cufft64_11.dll", "33c0 4885c9 7406 c701892c0000 c3", "x86_64",
                  true}),
            (Versions{{"cufft", "11.4.1"}}));
  EXPECT_EQ(read({"cusolverGetVersion", "cusolver64_11.dll",
                  "4885c9 7506 b803000000 c3 c701b92d0000 33c0 c3", "x86_64", true}),
            (Versions{{"cusolver", "11.7.5"}}));
  EXPECT_EQ(read({"nvJitLinkVersion", "nvJitLink_120_0.dll",
                  "4885c9 7414 4885d2 740f c7010c000000 33c0 c70209000000 c3", "x86_64", true}),
            (Versions{{"nvJitLink", "12.9"}}));
}

TEST(LibraryVersion, FollowsStoresOnArmServers) {
  EXPECT_EQ(read({"curandGetVersion", "libcurand.so.10", "c1088552 010000b9 00008052 c0035fd6",
                  "aarch64"}),
            (Versions{{"curand", "10.3.10"}}));
  EXPECT_EQ(read({"ncclGetVersion", "libnccl.so.2",
                  "e10300aa a00000b4 62548b52 00008052 220000b9 c0035fd6", "aarch64"}),
            (Versions{{"nccl", "2.32.3"}}));
  // cmp x0, #0; ccmp x1, #0, #4, ne; b.eq; then 13 and, from the zero register, 0.
  EXPECT_EQ(
      read({"nvrtcVersion", "libnvrtc.so.13",
            "1f0000f1 241840fa 00010054 a2018052 020000b9 00008052 3f0000b9 c0035fd6", "aarch64"}),
      (Versions{{"nvrtc", "13.0"}}));
}

TEST(LibraryVersion, FindsCudartThroughTheFunctionItCalls) {
  // push; mov r12, rdi; an unknown instruction; mov rdi, r12; call +8; ...; the callee
  EXPECT_EQ(read({"cudaRuntimeGetVersion", "libcudart.so.13",
                  "55 4989fc 8b80d0000000 4c89e7 e808000000 5d c3 cccccccccccc"
                  "4885ff 740b c707c8320000 31c0 c3"}),
            (Versions{{"cudart", "13.0"}}));
  EXPECT_EQ(read({"cudaRuntimeGetVersion", "cudart64_12.dll",
                  "488bf9 8b5070 488bcf e804000000 c3 cccccc"
                  "4883ec28 4885c9 7503 cccccc c7013a2f0000 33c0 4883c428 c3",
                  "x86_64", true}),
            (Versions{{"cudart", "12.9"}}));
  // mov x20, x0; mov x0, x20; bl +8; ret; mov w1, #12090; str w1, [x0]; mov w0, #0; ret
  EXPECT_EQ(
      read({"cudaRuntimeGetVersion", "libcudart.so.12",
            "f40300aa e00314aa 02000094 c0035fd6 41e78552 010000b9 00008052 c0035fd6", "aarch64"}),
      (Versions{{"cudart", "12.9"}}));
}

TEST(LibraryVersion, FindsReturnedConstants) {
  EXPECT_EQ(read({"getInferLibVersion", "libnvinfer.so.10", "b8e18c0100 c3"}),
            (Versions{{"tensorrt", "10.16.1"}}));
  EXPECT_EQ(read({"getInferLibVersion", "nvinfer.dll", "b899210000 c3", "x86_64", true}),
            (Versions{{"tensorrt", "8.6.1"}}));
  EXPECT_EQ(read({"cublasLtGetVersion", "libcublasLt.so.13",
                  "55 0fb605 00000000 4883c438 b834fc0100 5b 5d c3"}),
            (Versions{{"cublasLt", "13.1.0"}}));
  EXPECT_EQ(
      read({"cublasLtGetVersion", "cublasLt64_12.dll",
            "0fb605 00000000 b846d80100 498b5b28 498b6b30 498be3 415f 415e 5f c3", "x86_64", true}),
      (Versions{{"cublasLt", "12.9.2"}}));
  EXPECT_EQ(read({"cudnnGetVersion", "libcudnn.so.8", "b8c6220000 c3"}),
            (Versions{{"cudnn", "8.9.2"}}));
}

TEST(LibraryVersion, FindsWhatCusparseStores) {
  EXPECT_EQ(
      read({"cusparseGetVersion", "libcusparse.so.12", "55 0fb605 00000000 41c745003b310000 e8"}),
      (Versions{{"cusparse", "12.6.3"}}));
  EXPECT_EQ(read({"cusparseGetVersion", "libcusparse.so.11",
                  "0fb605 00000000 41c70424b92d0000 e8cccccccc"}),
            (Versions{{"cusparse", "11.7.5"}}));
}

TEST(LibraryVersion, ReadsTheObjectsThatCudnnExportsOnAnyMachine) {
  EXPECT_EQ(read({"cudnn_graph_version", "libcudnn_graph.so.9", "00130900"}),
            (Versions{{"cudnn", "9.19.0"}}));
  EXPECT_EQ(read({"cudnn_ops_infer_version", "cudnn_ops_infer64_8.dll", "05090800", "aarch64"}),
            (Versions{{"cudnn", "8.9.5"}}));
}

TEST(LibraryVersion, SaysNothingRatherThanSomethingWrong) {
  const std::string cufft = "4885ff 7406 c707e02e0000 31c0 c3";
  // Another major than the file's name; the wrong convention; a machine nobody looked at.
  EXPECT_EQ(read({"cufftGetVersion", "libcufft.so.11", cufft}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "cufft64_12.dll", cufft, "x86_64", true}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "libcufft.so.12", cufft, "ppc64le"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "libcufft.so.12", cufft, "aarch64"}), Versions{});
  // With no name there is nothing to compare with.
  EXPECT_EQ(read({"cufftGetVersion", "", cufft}), (Versions{{"cufft", "12.0.0"}}));
  // An unknown instruction; a failure as the result; an absurd number; no return.
  EXPECT_EQ(read({"cufftGetVersion", "", "90 c707e02e0000 31c0 c3"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", "c707e02e0000 b805000000 c3"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", "c70701000000 31c0 c3"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", "c707e02e0000 31c0"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", ""}), Versions{});
  // A jump to itself, one out of the code, one whose condition is not known.
  EXPECT_EQ(read({"cufftGetVersion", "", "ebfe"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", "e97f"}), Versions{});
  EXPECT_EQ(read({"cufftGetVersion", "", "7406 c707e02e0000 31c0 c3"}), Versions{});
  // Two candidates that disagree.
  EXPECT_EQ(read({"cublasLtGetVersion", "", "90 b834fc0100 c3 b846d80100 c3"}), Versions{});
  // A stack size that a prologue loads: no return behind it.
  EXPECT_EQ(read({"cublasLtGetVersion", "", "90 b800000200 e8cccccccc 482be0 c3"}), Versions{});
  EXPECT_EQ(read({"cudnn_graph_version", "libcudnn_graph.so.9", "0013"}), Versions{});
  EXPECT_EQ(read({"cudnn_graph_version", "libcudnn_graph.so.9", "ffffffff"}), Versions{});
}

TEST(LibraryVersion, ListsTheSymbolsItAsksFor) {
  std::vector<std::string> asked;
  static_cast<void>(read_library_versions(MemorySource(std::string_view("")), "", "x86_64", false,
                                          [&asked](std::string_view symbol) {
                                            asked.emplace_back(symbol);
                                            return std::optional<std::uint64_t>();
                                          }));
  const auto listed = version_symbols();
  EXPECT_EQ(asked, std::vector<std::string>(listed.begin(), listed.end()));
}

TEST(LibraryVersion, ReadsVersionResourcesOnlyWhereTheirRuleIsCertain) {
  EXPECT_EQ(read_resource_versions("cudnn64_9.dll", "9.28.0.42"), (Versions{{"cudnn", "9.28.0"}}));
  EXPECT_EQ(read_resource_versions("cublas64_12.dll", "6.14.11.1292"),
            (Versions{{"cublas", "12.9.2"}}));
  // 11.11.3, but 11.1.13 reads the same.
  EXPECT_EQ(read_resource_versions("cublas64_11.dll", "6.14.11.11113"), Versions{});
  EXPECT_EQ(read_resource_versions("cublas64_12.dll", "1.2.3.1292"), Versions{});
  EXPECT_EQ(read_resource_versions("cudnn64_9.dll", "8.9.5.29"), Versions{});
  EXPECT_EQ(read_resource_versions("nvrtc64_120_0.dll", "6.14.11.9000"), Versions{});
  EXPECT_EQ(read_resource_versions("torch_cuda.dll", "2.9.0.0"), Versions{});
  EXPECT_EQ(read_resource_versions("cudnn64_9.dll", ""), Versions{});
}

}  // namespace
}  // namespace plumb

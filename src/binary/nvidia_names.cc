// SPDX-License-Identifier: Apache-2.0
#include "binary/nvidia_names.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 29> kStems = {
    "cublas",     "cublaslt", "cublasmp",       "cublasxt",   "cudart",     "cudnn",
    "cudss",      "cufft",    "cufftw",         "cufftmp",    "cufile",     "cupti",
    "curand",     "cusolver", "cusolvermg",     "cusparse",   "cusparselt", "cutensor",
    "cutensormg", "nccl",     "nvblas",         "nvfatbin",   "nvgraph",    "nvjitlink",
    "nvjpeg",     "nvrtc",    "nvrtc-builtins", "nvtoolsext", "nvvm"};
// Families with many members: cudnn_ops, nppial, nvinfer_plugin, nvshmem_host,
// cudnn_engines_precompiled ...
constexpr std::array<std::string_view, 7> kPrefixes = {
    "cudnn_", "npp", "nvinfer", "nvonnxparser", "nvshmem", "nvperf_", "nvcomp"};

bool all_of_class(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::string library_stem(std::string_view name) {
  name = name.substr(name.find_last_of("/\\") + 1);
  std::string stem = to_lower_ascii(name.substr(0, name.find('.')));
  if (stem.starts_with("lib")) {
    stem.erase(0, 3);
  }
  const std::size_t dash = stem.rfind('-');
  if (dash != std::string::npos && stem.size() - dash > 4 &&
      all_of_class(std::string_view(stem).substr(dash + 1), "0123456789abcdef")) {
    stem.erase(dash);
  }
  for (std::size_t underscore = stem.rfind('_');
       underscore != std::string::npos &&
       all_of_class(std::string_view(stem).substr(underscore + 1), "0123456789");
       underscore = stem.rfind('_')) {
    stem.erase(underscore);
  }
  if (stem.ends_with("64") && stem != "64") {
    stem.erase(stem.size() - 2);
  }
  return stem;
}

bool is_nvidia_library(std::string_view name) {
  const std::string stem = library_stem(name);
  return std::ranges::find(kStems, stem) != kStems.end() ||
         std::ranges::any_of(kPrefixes,
                             [&stem](std::string_view prefix) { return stem.starts_with(prefix); });
}

bool is_cuda_library(std::string_view name) {
  const std::string stem = library_stem(name);
  return is_nvidia_library(name) || stem == "cuda" || stem == "nvcuda" || stem == "nvml" ||
         stem == "nvidia-ml";
}

}  // namespace plumb

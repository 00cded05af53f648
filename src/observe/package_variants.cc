// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "observe/package_details.h"

namespace plumb {
namespace {

struct Member {
  std::string_view family;
  std::string_view project;  // a '*' at the end: any ending
};

constexpr Member kMembers[] = {{"onnxruntime", "onnxruntime"},
                               {"onnxruntime", "onnxruntime-gpu"},
                               {"onnxruntime", "onnxruntime-directml"},
                               {"onnxruntime", "onnxruntime-openvino"},
                               {"onnxruntime", "onnxruntime-rocm"},
                               {"onnxruntime", "onnxruntime-migraphx"},
                               {"onnxruntime", "onnxruntime-training*"},
                               {"onnxruntime", "onnxruntime-qnn"},
                               {"onnxruntime", "onnxruntime-azure"},
                               {"onnxruntime", "ort-nightly*"},
                               {"tensorflow", "tensorflow"},
                               {"tensorflow", "tensorflow-cpu*"},
                               {"tensorflow", "tensorflow-gpu"},
                               {"tensorflow", "tensorflow-intel"},
                               {"tensorflow", "tensorflow-rocm"},
                               {"tensorflow", "intel-tensorflow"},
                               {"tensorflow", "tf-nightly*"},
                               {"paddlepaddle", "paddlepaddle*"},
                               {"cupy", "cupy"},
                               {"cupy", "cupy-cuda*"},
                               {"cupy", "cupy-rocm*"},
                               {"jax-plugin", "jax-cuda12-plugin"},
                               {"jax-plugin", "jax-cuda13-plugin"},
                               {"jax-plugin", "jax-rocm*"},
                               {"triton", "triton"},
                               {"triton", "triton-windows"},
                               {"triton", "triton-rocm"},
                               {"triton", "pytorch-triton*"},
                               {"faiss", "faiss-cpu"},
                               {"faiss", "faiss-gpu*"},
                               {"xgboost", "xgboost"},
                               {"xgboost", "xgboost-cpu"},
                               {"mxnet", "mxnet"},
                               {"mxnet", "mxnet-cu*"},
                               {"spconv", "spconv"},
                               {"spconv", "spconv-cu*"}};

/// "nvidia-cublas-cu12" -> "nvidia-cublas"; "" for other names.
std::string nvidia_family(std::string_view name) {
  if (!name.starts_with("nvidia-")) {
    return {};
  }
  const std::size_t at = name.rfind("-cu");
  const bool cuda = at != std::string_view::npos && at + 3 < name.size() &&
                    name.find_first_not_of("0123456789", at + 3) == std::string_view::npos;
  return std::string(cuda ? name.substr(0, at) : name);
}

std::string family_of(std::string_view name) {
  for (const auto& [family, project] : kMembers) {
    const bool fits = project.ends_with('*')
                          ? name.starts_with(project.substr(0, project.size() - 1))
                          : name == project;
    if (fits) {
      return std::string(family);
    }
  }
  return nvidia_family(name);
}

}  // namespace

std::vector<VariantGroup> find_variants(const std::vector<Distribution>& distributions) {
  std::map<std::string, VariantGroup> groups;
  for (const Distribution& distribution : distributions) {
    const std::string family = family_of(distribution.normalized);
    if (family.empty()) {
      continue;
    }
    VariantGroup& group = groups[family];
    group.family = family;
    if (std::ranges::find(group.packages, distribution.normalized, &ProjectVersion::name) ==
        group.packages.end()) {
      group.packages.push_back({distribution.normalized, distribution.version});
    }
  }
  std::vector<VariantGroup> found;
  for (auto& [family, group] : groups) {
    if (group.packages.size() > 1) {
      found.push_back(std::move(group));
    }
  }
  return found;
}

}  // namespace plumb

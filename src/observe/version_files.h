// SPDX-License-Identifier: Apache-2.0
#pragma once
// The small Python files in which frameworks write down how they were built. Read as text: running
// Python is slow, and impossible where the environment is broken.

#include <optional>
#include <string>
#include <string_view>

namespace plumb {

struct BuildNote {
  std::string version;               // with its local part: "2.14.1+cu130"
  bool says_cuda = false;            // the file has a word on CUDA
  std::optional<std::string> cuda;   // "13.0"; empty with says_cuda: built without
  std::optional<std::string> cudnn;  // "8.6.0"
  std::string other_gpu;             // "ROCm 6.4", "XPU 2025.2"
};

/// torch/version.py
[[nodiscard]] BuildNote parse_torch_version(std::string_view text);
/// paddle/version/__init__.py
[[nodiscard]] BuildNote parse_paddle_version(std::string_view text);
/// tensorflow/python/platform/build_info.py
[[nodiscard]] BuildNote parse_tensorflow_build_info(std::string_view text);
/// onnxruntime/capi/build_and_package_info.py
[[nodiscard]] BuildNote parse_onnxruntime_info(std::string_view text);

/// "jax-cuda13-plugin" -> "13", "cupy-cuda112" -> "11.2", "mxnet-cu118" -> "11.8"; else empty.
[[nodiscard]] std::optional<std::string> cuda_of_package_name(std::string_view normalized);

}  // namespace plumb

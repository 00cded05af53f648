// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of NVIDIA's own libraries, on both systems and as wheel repair tools mangle them.

#include <string>
#include <string_view>

namespace plumb {

/// The bare lower-case stem: "libcublasLt.so.13", "cublasLt64_12.dll",
/// "libcublasLt-9335f6a2.so.11.4" (auditwheel) and "cublasLt64_12-0c5bd.dll" (delvewheel) are all
/// "cublaslt". Takes a name or a path.
[[nodiscard]] std::string library_stem(std::string_view name);

/// NVIDIA's redistributable CUDA libraries (cuBLAS, cuDNN, NCCL, TensorRT ...), by stem. Such a
/// library picks the code for the card itself.
[[nodiscard]] bool is_nvidia_library(std::string_view name);

/// Any library of the CUDA world, driver included: who needs one has to do with CUDA.
[[nodiscard]] bool is_cuda_library(std::string_view name);

}  // namespace plumb

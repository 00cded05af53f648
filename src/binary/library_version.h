// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which version a CUDA library is, read from its own code without running it: NVIDIA's
// `xxxGetVersion` functions store a constant, and cuDNN exports it as data. Where no exact pattern
// is there, nothing is said.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/source.h"

namespace plumb {

/// All symbols that read_library_versions() may ask for, so that they can be looked up in one go.
[[nodiscard]] std::span<const std::string_view> version_symbols();

/// Gives the file offset of an exported function or object, empty if it is not exported.
using SymbolOffset = std::function<std::optional<std::uint64_t>(std::string_view symbol)>;

/// Library -> version: "cudnn": "9.19.0", "cublas", "cublasLt", "cufft", "curand", "cusolver",
/// "cusparse", "nccl", "nvrtc", "nvJitLink", "cudart", "tensorrt". `library_name` is the soname or
/// DLL name ("" if unknown), `machine` as in PeFile::machine, `windows_abi` tells where functions
/// find their arguments (PE: true).
[[nodiscard]] std::map<std::string, std::string> read_library_versions(
    const Source& source, std::string_view library_name, std::string_view machine, bool windows_abi,
    const SymbolOffset& offset_of);

/// The same for what a Windows DLL's version resource says (PeFile::file_version), for the
/// libraries whose code says nothing: cuDNN's parts and cuBLAS. Empty where the rule is not
/// certain.
[[nodiscard]] std::map<std::string, std::string> read_resource_versions(
    std::string_view dll_name, std::string_view file_version);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The texts of a Python wheel and of an installed *.dist-info folder: file name, METADATA, WHEEL
// and RECORD. Text in, plain structs out; https://packaging.python.org/specifications/ (core
// metadata, binary distribution format, recording installed projects). Values are kept as written,
// hostile bytes included: print them cleaned.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/zip.h"

namespace plumb {

/// name-version(-build)?-python-abi-platform.whl
struct WheelName {
  std::string name;  // as written: "nvidia_cublas_cu12"
  std::string version;
  std::string build;                                  // "" mostly
  std::vector<std::string> pythons, abis, platforms;  // the compressed sets split at '.'
  /// Every combination: "cp312-cp312-manylinux_2_28_x86_64", ...
  [[nodiscard]] std::vector<std::string> tags() const;
};
/// `file_name` without folders. Error: malformed.
[[nodiscard]] Result<WheelName> parse_wheel_name(std::string_view file_name);

struct WheelMetadata {
  std::string name, version, requires_python;
  std::vector<std::string> requires_dist;  // whole lines, markers kept
  std::vector<std::string>
      tags;  // from WHEEL, or from the file name; parse_metadata leaves it empty
  std::string metadata_version, summary;
  std::vector<std::string> provides_extra;
  std::vector<std::string> warnings;  // "the file name says version 1.0, METADATA says 1.1"
};
/// Headers up to the first empty line (the description is skipped). Errors: malformed (no Name or
/// Version), limit.
[[nodiscard]] Result<WheelMetadata> parse_metadata(std::string_view text);

/// The WHEEL file.
struct WheelFile {
  std::string wheel_version, generator, build;
  bool root_is_purelib = false;
  std::vector<std::string> tags;
};
[[nodiscard]] Result<WheelFile> parse_wheel_file(std::string_view text);

/// Adds to metadata.warnings where the file name disagrees in name or version (normalised) or, if
/// the WHEEL file had tags, in those.
void compare_with_file_name(WheelMetadata& metadata, const WheelName& name);

/// The one top-level "NAME-VERSION.dist-info" folder of a wheel, without '/'. Errors: not_found,
/// malformed (several).
[[nodiscard]] Result<std::string> find_dist_info(const ZipDirectory& directory);

struct RecordRow {
  std::string path;
  std::optional<std::array<std::byte, 32>> sha256;
  std::optional<std::uint64_t> size;
  std::string hash_name;  // "sha256"; another algorithm leaves sha256 empty; "" = no hash
};
/// CSV as Python's csv module writes it. Errors: malformed (with the line number), limit.
[[nodiscard]] Result<std::vector<RecordRow>> parse_record(std::string_view text);

/// What was found of one member or installed file.
struct MemberDigest {
  std::string path;
  std::array<std::byte, 32> sha256{};
  std::uint64_t size = 0;
};
/// Compares both ways; each fault names the path in `where`: mismatch (hash or size), malformed (a
/// member without a row, a row without a hash), not_found (a row without a member), unsupported
/// (another hash). RECORD itself and its signatures (RECORD.jws, RECORD.p7s) need no hash and no
/// row. Sorted by path.
[[nodiscard]] std::vector<Error> verify_record(const std::vector<RecordRow>& rows,
                                               const std::vector<MemberDigest>& members);

/// PEP 503: lower case, runs of "-_." become one '-'.
[[nodiscard]] std::string normalize_project_name(std::string_view name);

/// "nvidia-cublas==13.1.0.3; platform_system == 'Linux'" -> "nvidia-cublas" (normalised); "" if it
/// is no requirement.
[[nodiscard]] std::string requirement_name(std::string_view requirement);

/// Projects that live on the GPU or bring its libraries, normalised. A '*' at the end: any ending.
inline constexpr std::string_view kGpuProjects[] = {
    // NVIDIA's own
    "nvidia-*", "cuda-*", "numba-cuda*", "transformer-engine*", "tensorrt*", "pynvml", "warp-lang",
    // frameworks
    "torch", "torchvision", "torchaudio", "torchao", "torch-tensorrt*", "tensorflow",
    "tensorflow-gpu", "tensorflow-intel", "tf-nightly*", "paddlepaddle*", "jax", "jaxlib",
    "jax-cuda*", "mxnet-cu*", "onnxruntime", "onnxruntime-*", "ctranslate2",
    // compilers and kernels
    "triton*", "pytorch-triton*", "cupy*", "pycuda", "bitsandbytes", "xformers", "flash-attn*",
    "flashinfer-*", "auto-gptq", "autoawq*", "spconv-cu*", "faiss-gpu*", "vllm*", "deepspeed",
    // RAPIDS
    "cudf-cu*", "cuml-cu*", "cugraph-cu*", "rmm-cu*", "cutensor-cu*", "dgl-cu*"};

/// Those of `requires_dist` that concern GPU packages, in their order.
[[nodiscard]] std::vector<std::string> gpu_requirements(
    const std::vector<std::string>& requires_dist, std::span<const std::string_view> projects);
[[nodiscard]] std::vector<std::string> gpu_requirements(
    const std::vector<std::string>& requires_dist);
/// The same without requirements of the project on itself ("bitsandbytes[test]; extra == 'dev'").
[[nodiscard]] std::vector<std::string> gpu_requirements(const WheelMetadata& metadata);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "binary/library_version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"
#include "binary/version_code.h"

// Where each library keeps its version, as seen in the CUDA 11.8, 12.9 and 13.0 libraries for Linux
// and Windows (and, for those marked *, 12.9 for Arm servers); the numbers agree with the packages
// they came in.
//
//   cuDNN 8, 9         exported u32 `cudnn_graph_version` and the like: 0x00091300 is 9.19.0 any
//   machine cuFFT, cuRAND*,    `*version = 12000; return 0;` followed cuSOLVER*, NCCL* NVRTC*,
//   nvJitLink* `*major = 13; *minor = 0; return 0;` followed cudart*            passes its argument
//   to a function `*version = 13000; return 0;`              followed TensorRT           `return
//   110400;`                                                             followed cuBLASLt, cuDNN
//   `return 130100;` after logging code                                          constant at return
//   cuSPARSE           `*version = 12603` inside logging code constant stored cuBLAS asks cuBLASLt:
//   nothing to read. Its Windows DLL has a version resource.
//
// cuDNN's small parts (the shim, engines, heuristics) hold no version on Linux.
//
// The number's meaning differs (each library's own header says it, beside its XXX_VERSION macro). A
// number that decodes to an absurd version, or whose major is not the one in the library's file
// name, is thrown away: the wrong version is worse than none. That also covers the ambiguity of the
// 1000-based ones (12.10.0 would read 13.0.0).

namespace plumb {
namespace {

constexpr std::uint64_t kBody = 1024;     // bytes of a function that are searched
constexpr std::uint64_t kFollowed = 192;  // bytes of a function that is followed

struct Parts {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  bool has_patch = true;

  [[nodiscard]] std::string text() const {
    const std::string start = std::to_string(major) + "." + std::to_string(minor);
    return has_patch ? start + "." + std::to_string(patch) : start;
  }
};

using Decode = std::optional<Parts> (*)(std::uint32_t);

std::optional<Parts> plausible(Parts parts, std::uint32_t lowest, std::uint32_t highest) {
  const bool good =
      parts.major >= lowest && parts.major <= highest && parts.minor < 50 && parts.patch < 100;
  return good ? std::optional(parts) : std::nullopt;
}

Parts split_number(std::uint32_t value, std::uint32_t major_unit) {
  return {value / major_unit, value % major_unit / 100, value % 100};
}

/// CUFFT_VERSION, CURAND_VERSION, CUSOLVER_VERSION, CUSPARSE_VERSION: major * 1000 + minor * 100 +
/// patch.
std::optional<Parts> decode_math(std::uint32_t value) {
  return plausible(split_number(value, 1000), 8, 40);
}

/// CUBLAS_VERSION since CUDA 11: major * 10000 + minor * 100 + patch.
std::optional<Parts> decode_cublas(std::uint32_t value) {
  return plausible(split_number(value, 10000), 10, 40);
}

/// CUDNN_VERSION: major * 10000 + minor * 100 + patch from 9 on, major * 1000 + minor * 100 + patch
/// before.
std::optional<Parts> decode_cudnn(std::uint32_t value) {
  return value >= 90000 ? plausible(split_number(value, 10000), 9, 30)
                        : plausible(split_number(value, 1000), 7, 8);
}

/// cudnn_graph_version and the like: major << 16 | minor << 8 | patch.
std::optional<Parts> decode_cudnn_object(std::uint32_t value) {
  return plausible({value >> 16, (value >> 8) & 0xffU, value & 0xffU}, 8, 30);
}

/// NCCL_VERSION(X, Y, Z): X * 10000 + Y * 100 + Z from 2.9 on, X * 1000 + Y * 100 + Z before.
std::optional<Parts> decode_nccl(std::uint32_t value) {
  return value >= 10000 ? plausible(split_number(value, 10000), 2, 9)
                        : plausible(split_number(value, 1000), 2, 2);
}

/// CUDART_VERSION: major * 1000 + minor * 10.
std::optional<Parts> decode_cudart(std::uint32_t value) {
  if (value % 10 != 0) {
    return std::nullopt;
  }
  return plausible({value / 1000, value % 1000 / 10, 0, false}, 8, 40);
}

/// NV_TENSORRT_VERSION: major * 10000 + minor * 100 + patch from 10 on, major * 1000 + minor * 100
/// + patch before.
std::optional<Parts> decode_tensorrt(std::uint32_t value) {
  return value >= 100000 ? plausible(split_number(value, 10000), 10, 40)
                         : plausible(split_number(value, 1000), 5, 9);
}

enum class Place : std::uint8_t {
  object,      // the symbol is a u32
  stored,      // followed: *first = value
  stored_two,  // followed: *first = major, *second = minor
  forwarded,   // passes its first argument on to a function as in `stored`
  returned,    // followed, or else a constant right before the return
  inner,       // a constant stored through some register
};

struct Rule {
  std::string_view library;
  std::string_view symbol;
  Place place;
  Decode decode;
};

/// Several rules for one library stand in the order in which they are tried.
constexpr std::array kRules{
    Rule{"cudnn", "cudnn_graph_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_ops_infer_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_adv_infer_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_cnn_infer_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_ops_train_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_adv_train_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnn_cnn_train_version", Place::object, decode_cudnn_object},
    Rule{"cudnn", "cudnnGetVersion", Place::returned, decode_cudnn},
    Rule{"cublasLt", "cublasLtGetVersion", Place::returned, decode_cublas},
    Rule{"cufft", "cufftGetVersion", Place::stored, decode_math},
    Rule{"curand", "curandGetVersion", Place::stored, decode_math},
    Rule{"cusolver", "cusolverGetVersion", Place::stored, decode_math},
    Rule{"cusparse", "cusparseGetVersion", Place::inner, decode_math},
    Rule{"nccl", "ncclGetVersion", Place::stored, decode_nccl},
    Rule{"nvrtc", "nvrtcVersion", Place::stored_two, nullptr},
    Rule{"nvJitLink", "nvJitLinkVersion", Place::stored_two, nullptr},
    Rule{"cudart", "cudaRuntimeGetVersion", Place::forwarded, decode_cudart},
    Rule{"tensorrt", "getInferLibVersion", Place::returned, decode_tensorrt},
};

constexpr auto kSymbols = [] {
  std::array<std::string_view, kRules.size()> symbols;
  std::ranges::transform(kRules, symbols.begin(), &Rule::symbol);
  return symbols;
}();

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The major version in a file name: libcufft.so.12, libcudart.so.11.0, cufft64_11.dll,
/// nvrtc64_120_0.dll (three digits: 12.0), nvinfer_10.dll; empty if the name has none or is not
/// known.
std::optional<std::uint32_t> major_of_name(std::string_view name) {
  constexpr std::string_view kSo = ".so.";
  if (const std::size_t so = name.find(kSo); so != std::string_view::npos) {
    return leading_number(name.substr(so + kSo.size()));
  }
  if (!ends_with_nocase(name, ".dll")) {
    return std::nullopt;
  }
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    if (const auto number = leading_number(name.substr(at + 1))) {
      return *number >= 100 ? *number / 10 : *number;
    }
  }
  return std::nullopt;
}

/// The code at `offset`, as much of `length` as the file has; empty if it cannot be read.
std::vector<std::byte> read_code(const Source& source, std::uint64_t offset, std::uint64_t length) {
  if (offset >= source.size()) {
    return {};
  }
  auto bytes = read_range(source, offset, std::min(length, source.size() - offset), length);
  return bytes ? *std::move(bytes) : std::vector<std::byte>{};
}

/// The one version that all plausible values agree on.
std::optional<Parts> agree(const std::vector<std::uint32_t>& values, Decode decode) {
  std::optional<Parts> found;
  for (const std::uint32_t value : values) {
    const auto parts = decode(value);
    if (parts && found && parts->text() != found->text()) {
      return std::nullopt;
    }
    found = parts ? parts : found;
  }
  return found;
}

class VersionReader {
 public:
  VersionReader(const Source& source, std::optional<CallingConvention> convention)
      : source_(source), convention_(convention) {}

  std::optional<Parts> read(const Rule& rule, std::uint64_t offset) const {
    if (rule.place == Place::object) {
      const auto bytes = read_code(source_, offset, 4);
      return bytes.size() == 4 ? rule.decode(load_le<std::uint32_t>(bytes)) : std::nullopt;
    }
    if (!convention_) {
      return std::nullopt;
    }
    switch (rule.place) {
      case Place::stored:
        return agree(stored_at(offset), rule.decode);
      case Place::stored_two:
        return read_two(offset);
      case Place::forwarded:
        return agree(stored_by_callees(offset), rule.decode);
      case Place::returned:
        return agree(returned_at(offset), rule.decode);
      default:
        return agree(find_stored(offset), rule.decode);
    }
  }

 private:
  [[nodiscard]] std::optional<FunctionEffect> follow(std::uint64_t offset) const {
    return follow_function(read_code(source_, offset, kFollowed), *convention_);
  }

  /// What a version function stores, if it then returns 0 for "success".
  [[nodiscard]] std::vector<std::uint32_t> stored_at(std::uint64_t offset) const {
    const auto effect = follow(offset);
    const bool good = effect && effect->returned == 0U && effect->stored_first;
    return good ? std::vector{*effect->stored_first} : std::vector<std::uint32_t>{};
  }

  [[nodiscard]] std::optional<Parts> read_two(std::uint64_t offset) const {
    const auto effect = follow(offset);
    if (!effect || effect->returned != 0U || !effect->stored_first || !effect->stored_second) {
      return std::nullopt;
    }
    return plausible({*effect->stored_first, *effect->stored_second, 0, false}, 8, 40);
  }

  /// Caller and callee lie in one section, so the distance in the file is the distance in memory.
  [[nodiscard]] std::vector<std::uint32_t> stored_by_callees(std::uint64_t offset) const {
    std::vector<std::uint32_t> values = stored_at(offset);
    const auto code = read_code(source_, offset, kBody);
    for (const std::int64_t target : find_forwarding_calls(code, *convention_)) {
      const std::uint64_t callee =
          offset + static_cast<std::uint64_t>(target);  // may wrap: then past the end
      const auto found = stored_at(callee);
      values.insert(values.end(), found.begin(), found.end());
    }
    return values;
  }

  [[nodiscard]] std::vector<std::uint32_t> returned_at(std::uint64_t offset) const {
    if (const auto effect = follow(offset); effect && effect->returned) {
      return {*effect->returned};
    }
    return is_x86() ? find_returned_constants(read_code(source_, offset, kBody))
                    : std::vector<std::uint32_t>{};
  }

  [[nodiscard]] std::vector<std::uint32_t> find_stored(std::uint64_t offset) const {
    return is_x86() ? find_stored_constants(read_code(source_, offset, kBody))
                    : std::vector<std::uint32_t>{};
  }

  [[nodiscard]] bool is_x86() const { return convention_ != CallingConvention::arm64; }

  const Source& source_;
  std::optional<CallingConvention> convention_;
};

/// "9.28.0.42" of a cuDNN DLL is its version. The other libraries write "6.14.11.N" with N the
/// version's digits run together, 1292 for cuBLAS 12.9.2; that is taken for cuBLAS alone, whose
/// code has no constant, and only where it can be split in one way: two digits after the major of
/// the DLL's name.
std::optional<Parts> decode_resource(std::string_view library, std::string_view file_version,
                                     std::uint32_t major) {
  std::array<std::uint32_t, 4> numbers{};
  const auto pieces = split(file_version, '.');
  if (pieces.size() != numbers.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = parse_decimal(pieces[i]);
    if (!number || *number > 0xffff) {
      return std::nullopt;
    }
    numbers[i] = static_cast<std::uint32_t>(*number);
  }
  if (library == "cudnn") {
    return plausible({numbers[0], numbers[1], numbers[2]}, 7, 30);
  }
  const bool nvidia_scheme = numbers[0] == 6 && numbers[1] == 14 && numbers[2] == 11;
  if (!nvidia_scheme || numbers[3] / 100 != major) {
    return std::nullopt;
  }
  return plausible({major, numbers[3] / 10 % 10, numbers[3] % 10}, 10, 40);
}

}  // namespace

std::span<const std::string_view> version_symbols() {
  return kSymbols;
}

std::map<std::string, std::string> read_library_versions(const Source& source,
                                                         std::string_view library_name,
                                                         std::string_view machine, bool windows_abi,
                                                         const SymbolOffset& offset_of) {
  const VersionReader reader(source, calling_convention(machine, windows_abi));
  const auto major = major_of_name(library_name);
  std::map<std::string, std::string> versions;
  for (const Rule& rule : kRules) {
    if (versions.contains(std::string(rule.library))) {
      continue;
    }
    const auto offset = offset_of(rule.symbol);
    const auto parts = offset ? reader.read(rule, *offset) : std::nullopt;
    if (parts && (!major || *major == parts->major)) {
      versions.emplace(rule.library, parts->text());
    }
  }
  return versions;
}

std::map<std::string, std::string> read_resource_versions(std::string_view dll_name,
                                                          std::string_view file_version) {
  const std::string name = to_lower_ascii(dll_name);
  const auto major = major_of_name(name);
  const std::string library = name.starts_with("cudnn")      ? "cudnn"
                              : name.starts_with("cublas64") ? "cublas"
                                                             : "";
  if (library.empty() || !major) {
    return {};
  }
  const auto parts = decode_resource(library, file_version, *major);
  if (!parts || parts->major != *major) {
    return {};
  }
  return {{library, parts->text()}};
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// bitsandbytes. Sources: bitsandbytes/cextension.py and cuda_specs.py of 0.43.3 to 0.50.2.
//
// One library for each CUDA version lies in the package. `import` opens the one of the version that
// PyTorch was built with, by its path, and goes on without it: the error comes at the first call.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

constexpr std::string_view kFile = "bitsandbytes/cextension.py";

/// "13.0" out of torch/version.py: the value of `cuda`; "" for a build without.
template <class Import>
std::string torch_cuda(Import& import) {
  for (const std::string& folder : import.finder().sys_path()) {
    const std::string path = import.finder().join(folder, "torch/version.py");
    if (import.finder().is_file(path)) {
      return import.finder().text_constant(path, "cuda");
    }
  }
  return {};
}

/// "126" -> 12.6: the major has two digits.
std::optional<Release> parse_digits(std::string_view digits) {
  const auto number = parse_decimal(digits);
  if (!number || digits.size() < 3 || digits.size() > 4) {
    return std::nullopt;
  }
  return Release{static_cast<unsigned>(*parse_decimal(digits.substr(0, 2))),
                 static_cast<unsigned>(*parse_decimal(digits.substr(2)))};
}

/// The library for PyTorch's CUDA: that very version; from 0.50 on else the next older of the same
/// major, else the next newer. The exact name, whether it is there or not, if none fits.
template <class Import>
std::string cuda_library(Import& import, std::string_view suffix) {
  const std::string folder = import.in_site("bitsandbytes");
  const auto named = [&](const std::string& digits) {
    return import.finder().join(folder, "libbitsandbytes_cuda" + digits + std::string(suffix));
  };
  if (const std::string digits = import.finder().variable("BNB_CUDA_VERSION"); !digits.empty()) {
    return named(digits);
  }
  const std::string cuda = torch_cuda(import);
  if (cuda.empty()) {
    return {};
  }
  const Release wanted = parse_release(cuda);
  const std::string exact = named(std::to_string(wanted.major) + std::to_string(wanted.minor));
  if (import.finder().is_file(exact) ||
      parse_release(import.framework().version) < Release{0, 50}) {
    return exact;
  }
  std::string older;
  std::string newer;
  Release best_older;
  Release best_newer;
  constexpr std::string_view kStem = "libbitsandbytes_cuda";
  for (std::string& path : import.finder().starting_with(folder, kStem, suffix)) {
    const std::size_t at = path.rfind(kStem) + kStem.size();
    const auto release =
        parse_digits(std::string_view(path).substr(at, path.size() - suffix.size() - at));
    if (!release || release->major != wanted.major) {
      continue;
    }
    if (*release < wanted && (older.empty() || *release > best_older)) {
      best_older = *release;
      older = std::move(path);
    } else if (*release > wanted && (newer.empty() || *release < best_newer)) {
      best_newer = *release;
      newer = std::move(path);
    }
  }
  if (!older.empty()) {
    return older;
  }
  return newer.empty() ? exact : newer;
}

template <class Import>
void load(Import& import, std::string_view suffix) {
  std::string path = cuda_library(import, suffix);
  const bool falls_back = parse_release(import.framework().version) < Release{0, 46};
  if (path.empty() || (falls_back && !import.finder().is_file(path))) {
    path = import.finder().join(import.in_site("bitsandbytes"),
                                "libbitsandbytes_cpu" + std::string(suffix));
  }
  // The error is kept until the first call: `import` itself succeeds, and nothing after it does.
  if (!import.open_by_ctypes(path, std::string(kFile), Wanted::optional)) {
    import.forget_last_request();
    import.first_use();
    import.open_by_ctypes(path, std::string(kFile), Wanted::required);
  }
}

}  // namespace

void load_bitsandbytes(LinuxImport& import) {
  load(import, ".so");
}

void load_bitsandbytes(WindowsImport& import) {
  load(import, ".dll");
}

}  // namespace plumb

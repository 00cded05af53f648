// SPDX-License-Identifier: Apache-2.0
#include "observe/version_files.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// What stands in quotes at the start of `text`, else its first word ("None", "True").
std::string literal(std::string_view text) {
  text = trim(text);
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    const std::size_t end = text.find(text.front(), 1);
    return end == std::string_view::npos ? std::string{} : std::string(text.substr(1, end - 1));
  }
  return std::string(text.substr(0, text.find_first_of(" \t\r,)#")));
}

/// The value of `name = value` or `name: annotation = value` at the start of a line.
std::optional<std::string> assignment(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) {
      continue;
    }
    std::string_view rest = trim(line.substr(name.size()));
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos || (equals > 0 && rest.front() != ':')) {
      continue;
    }
    return literal(rest.substr(equals + 1));
  }
  return std::nullopt;
}

/// The value after a quoted key: ('cuda_version', '12.5') or "cuda_version": "12.5".
std::optional<std::string> entry(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const std::size_t at = text.find(quoted);
    if (at != std::string_view::npos) {
      std::string_view rest = trim(text.substr(at + quoted.size()));
      if (!rest.empty() && (rest.front() == ',' || rest.front() == ':')) {
        return literal(rest.substr(1, 200));
      }
    }
  }
  return std::nullopt;
}

bool says_none(const std::optional<std::string>& value) {
  return !value || value->empty() || *value == "None" || *value == "False";
}

std::optional<std::string> unless_none(const std::optional<std::string>& value) {
  return says_none(value) ? std::nullopt : value;
}

/// "112" -> "11.2", "12" -> "12".
std::string dotted(std::string_view digits) {
  return digits.size() == 3 ? std::string(digits.substr(0, 2)) + "." + std::string(digits.substr(2))
                            : std::string(digits);
}

/// TensorFlow for Windows writes the endings of DLL names: "64_112" is CUDA 11.2, "64_8" cuDNN 8.
std::optional<std::string> without_dll_form(std::optional<std::string> value) {
  if (value && value->starts_with("64_")) {
    return dotted(std::string_view(*value).substr(3));
  }
  return value;
}

}  // namespace

BuildNote parse_torch_version(std::string_view text) {
  BuildNote note;
  note.version = assignment(text, "__version__").value_or("");
  const auto cuda = assignment(text, "cuda");
  note.says_cuda = cuda.has_value();
  note.cuda = unless_none(cuda);
  const auto hip = unless_none(assignment(text, "hip"));
  const auto rocm = unless_none(assignment(text, "rocm"));
  const auto xpu = unless_none(assignment(text, "xpu"));
  if (rocm || hip) {
    note.other_gpu = "ROCm " + (rocm ? *rocm : *hip);
  } else if (xpu) {
    note.other_gpu = "XPU " + *xpu;
  }
  return note;
}

BuildNote parse_paddle_version(std::string_view text) {
  BuildNote note;
  note.version = assignment(text, "full_version").value_or("");
  const auto cuda = assignment(text, "cuda_version");
  note.says_cuda = cuda.has_value();
  note.cuda = unless_none(cuda);
  note.cudnn = unless_none(assignment(text, "cudnn_version"));
  return note;
}

BuildNote parse_tensorflow_build_info(std::string_view text) {
  BuildNote note;
  const auto is_cuda = entry(text, "is_cuda_build");
  note.says_cuda = is_cuda.has_value();
  if (is_cuda == "True") {
    note.cuda = without_dll_form(unless_none(entry(text, "cuda_version")));
    note.cudnn = without_dll_form(unless_none(entry(text, "cudnn_version")));
    note.says_cuda = note.cuda.has_value();
  }
  if (entry(text, "is_rocm_build") == "True") {
    note.other_gpu = "ROCm " + entry(text, "rocm_version").value_or("");
  }
  return note;
}

BuildNote parse_onnxruntime_info(std::string_view text) {
  BuildNote note;
  note.version = assignment(text, "__version__").value_or("");
  note.cuda = unless_none(assignment(text, "cuda_version"));
  note.says_cuda = note.cuda.has_value();
  return note;
}

std::optional<std::string> cuda_of_package_name(std::string_view normalized) {
  for (const std::string_view word : {"-cuda", "-cu"}) {
    const std::size_t at = normalized.find(word);
    if (at == std::string_view::npos) {
      continue;
    }
    const std::string_view rest = normalized.substr(at + word.size());
    const std::string_view digits =
        rest.substr(0, std::min(rest.find_first_not_of(kDigits), rest.size()));
    if (digits.size() == 2 || digits.size() == 3) {
      return dotted(digits);
    }
  }
  return std::nullopt;
}

}  // namespace plumb

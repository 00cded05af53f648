// SPDX-License-Identifier: Apache-2.0
// CTranslate2, which faster-whisper uses. Sources: ctranslate2/__init__.py and the libraries of
// 3.24.0, 4.4.0 and 4.6.0.
//
// The wheel has cuDNN's shim under a name of its own, not its parts, and opens cuBLAS by name when
// it first computes: "Library libcublas.so.12 is not found or cannot be loaded". Both are searched
// by the system's rule alone: NVIDIA's wheels are not seen unless LD_LIBRARY_PATH names their
// folders.
#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

/// 3.x was built with CUDA 11, 4.x with 12.
unsigned cuda_of(std::string_view version) {
  return parse_release(version).major < 4 ? 11 : 12;
}

}  // namespace

void load_ctranslate2(LinuxImport& import) {
  import.import_module("ctranslate2", "_ext", Wanted::required);
  const auto library = import.find_loaded_prefix("libctranslate2");
  if (import.failed() || !library) {
    return;
  }
  import.first_use();
  import.open_by_library("libcuda.so.1", *library, Wanted::required);
  import.open_by_library("libcublas.so." + std::to_string(cuda_of(import.framework().version)),
                         *library, Wanted::required);
  open_cudnn_parts(import, CudnnUse::graph_and_ops);
}

void load_ctranslate2(WindowsImport& import) {
  const std::string folder = import.in_site("ctranslate2");
  import.add_folder(folder);
  for (const std::string& library : import.finder().starting_with(folder, "", ".dll")) {
    import.open_by_ctypes(library, "ctranslate2/__init__.py", Wanted::required);
    if (import.failed()) {
      return;
    }
  }
  import.import_module("ctranslate2", "_ext", Wanted::required);
  const auto library = import.find_loaded("ctranslate2.dll");
  if (import.failed() || !library) {
    return;
  }
  import.first_use();
  import.open_by_library("nvcuda.dll", *library, Wanted::required);
  import.open_by_library("cublas64_" + std::to_string(cuda_of(import.framework().version)) + ".dll",
                         *library, Wanted::required);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// PyTorch. Source: torch/__init__.py of 1.13.1, 2.0.1 to 2.13.0 and 2.14.1: _load_global_deps(),
// _preload_cuda_deps(), _load_dll_libraries(); torch/cuda/__init__.py for NVML.
//
// On Linux `import torch` opens libtorch_global_deps.so, whose only use is what it needs: the CUDA
// libraries that must be global. If that fails over a CUDA library, NVIDIA's wheels are looked for
// along sys.path and opened by their paths, one after the other, and it is tried again. From 2.6 on
// they are opened although it came, so that no other copy can come first.
#include <algorithm>

#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

constexpr std::string_view kInit = "torch/__init__.py";
constexpr Release kNever = {~0U, ~0U, ~0U};

struct Preload {
  std::string_view folder;   // below site-packages/nvidia
  std::string_view library;  // "libcublas.so.": a file of that beginning that ends with a digit
  Release since, until;      // [since, until)
  unsigned cuda = 0;         // built with this major or newer
};

/// In order. 1.13 had two fixed names; they are the same files.
constexpr Preload kPreloads[] = {
    {"cublas", "libcublasLt.so.", {2, 11}, kNever},
    {"cublas", "libcublas.so.", {1, 13}, kNever},
    {"cudnn", "libcudnn.so.", {1, 13}, kNever},
    {"cuda_nvrtc", "libnvrtc.so.", {2, 0}, kNever},
    {"cuda_nvrtc", "libnvrtc-builtins.so.", {2, 10}, kNever},
    {"cuda_runtime", "libcudart.so.", {2, 0}, kNever},
    {"cuda_cupti", "libcupti.so.", {2, 0}, kNever},
    {"cufft", "libcufft.so.", {2, 0}, kNever},
    {"curand", "libcurand.so.", {2, 0}, kNever},
    {"cusolver", "libcusolver.so.", {2, 0}, {2, 5}},
    {"nvjitlink", "libnvJitLink.so.", {2, 5}, kNever},
    {"cusparse", "libcusparse.so.", {2, 0}, kNever},
    {"cusparselt", "libcusparseLt.so.", {2, 6}, kNever},
    {"cusolver", "libcusolver.so.", {2, 5}, kNever},
    {"nccl", "libnccl.so.", {2, 0}, kNever},
    {"nvtx", "libnvToolsExt.so.", {2, 0}, {2, 8}},
    {"nvshmem", "libnvshmem_host.so.", {2, 9}, kNever},
    {"cufile", "libcufile.so.", {2, 7}, kNever, 12},
};

/// 2.6 to 2.9, when libtorch_global_deps.so came: only what NVIDIA's wheels themselves fail to
/// find.
constexpr Preload kEarlyPreloads[] = {
    {"cuda_nvrtc", "libnvrtc.so.", {2, 6}, {2, 10}},
    {"cuda_nvrtc", "libnvrtc-builtins.so.", {2, 9}, {2, 10}},
    {"nvjitlink", "libnvJitLink.so.", {2, 6}, {2, 10}},
};

bool ends_with_digit(std::string_view name) {
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

class TorchOnLinux {
 public:
  explicit TorchOnLinux(LinuxImport& import)
      : import_(import),
        release_(parse_release(import.framework().version)),
        cuda_(import.framework().cuda.empty() ? 0 : parse_release(import.framework().cuda).major) {}

  void load() {
    open_global_deps();
    if (import_.failed()) {
      return;
    }
    import_.import_module("torch", "_C", Wanted::required);
    if (import_.failed() || !import_.find_loaded("libtorch_cuda.so")) {
      return;
    }
    import_.first_use();
    import_.open_by_ctypes("libnvidia-ml.so.1", "torch/cuda/__init__.py", Wanted::optional);
    open_driver(import_);
    open_cudnn_parts(import_, CudnnUse::graph);
  }

 private:
  void open_global_deps() {
    const std::string deps = import_.in_site("torch/lib/libtorch_global_deps.so");
    const bool has_fallback = release_ >= Release{1, 13};
    if (import_.open_by_ctypes(deps, std::string(kInit),
                               has_fallback ? Wanted::optional : Wanted::required, true)) {
      preload_early();
      return;
    }
    if (!has_fallback) {
      return;
    }
    // The rule asks whether the text of the error names one of the libraries.
    const std::string fault = import_.last_fault();
    const bool names_cuda = release_ < Release{2, 0}
                                ? fault.find("libcublas.so.11") != std::string::npos
                                : is_named(fault);
    if (names_cuda && !preload(kPreloads, Missing::raises)) {
      return;
    }
    import_.open_by_ctypes(deps, std::string(kInit), Wanted::required, true);
  }

  void preload_early() {
    const auto runtime = import_.find_loaded_prefix("libcudart.so");
    if (!runtime || release_ < Release{2, 6}) {
      return;
    }
    if (release_ < Release{2, 9} &&
        import_.files()
                .resolved(import_.object(*runtime).file)
                .find("nvidia/cuda_runtime/lib/libcudart.so") == std::string::npos) {
      return;
    }
    if (release_ < Release{2, 10}) {
      preload(kEarlyPreloads, Missing::ends);
    } else {
      // Since 2.14 a missing wheel is passed over; before, it ended the list.
      preload(kPreloads, release_ >= Release{2, 14} ? Missing::is_passed : Missing::ends);
    }
  }

  enum class Missing : unsigned char { raises, ends, is_passed };

  [[nodiscard]] bool applies(const Preload& entry) const {
    return release_ >= entry.since && release_ < entry.until && cuda_ >= entry.cuda;
  }

  [[nodiscard]] bool is_named(const std::string& fault) const {
    for (const Preload& entry : kPreloads) {
      if (applies(entry) &&
          fault.find(entry.library.substr(0, entry.library.find('.'))) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  template <std::size_t n>
  bool preload(const Preload (&entries)[n], Missing missing) {
    for (const Preload& entry : entries) {
      if (!applies(entry)) {
        continue;
      }
      const std::string path = find(entry);
      if (path.empty()) {
        if (missing == Missing::is_passed) {
          continue;
        }
        if (missing == Missing::raises) {
          const std::string pattern = std::string(entry.library) + "*[0-9]";
          import_.fail_import(pattern + " not found in the system path", pattern,
                              import_.in_site(kInit));
        }
        return false;
      }
      if (!import_.open_by_ctypes(
              path, std::string(kInit),
              missing == Missing::raises ? Wanted::required : Wanted::optional)) {
        return false;
      }
    }
    if (release_ >= Release{2, 9} && (missing == Missing::raises || release_ >= Release{2, 10})) {
      if (const std::string path = find({"nvtx", "libnvToolsExt.so.", {}, kNever}); !path.empty()) {
        import_.open_by_ctypes(path, std::string(kInit), Wanted::optional);
      }
    }
    return true;
  }

  /// The first hit along sys.path. Of several files in one folder glob() gives them in the order of
  /// the disk, which nobody knows: the first by name is taken.
  [[nodiscard]] std::string find(const Preload& entry) {
    const std::string folder(entry.folder);
    for (const std::string& path : import_.finder().sys_path()) {
      std::vector<std::string> folders = {"nvidia/" + folder + "/lib"};
      if (release_ >= Release{2, 9} && cuda_ != 0) {
        folders.push_back("nvidia/cu" + std::to_string(cuda_) + "/lib");
      }
      if (release_ >= Release{2, 6}) {
        folders.push_back(folder + "/lib");
      }
      for (const std::string& below : folders) {
        for (std::string& file :
             import_.finder().starting_with(import_.finder().join(path, below), entry.library)) {
          if (ends_with_digit(file)) {
            return std::move(file);
          }
        }
      }
    }
    return {};
  }

  LinuxImport& import_;
  Release release_;
  unsigned cuda_;
};

/// torch\lib, conda's and the user's folders, the toolkit's where no runtime lies in them.
std::vector<std::string> dll_folders(WindowsImport& import) {
  const PythonFinder& finder = import.finder();
  const PythonPlace& python = import.python();
  const std::string lib = import.in_site("torch\\lib");
  std::vector<std::string> folders;
  const auto add = [&](const std::string& folder) {
    if (!folder.empty() && finder.is_folder(folder)) {
      folders.push_back(folder);
    }
  };
  add(lib);
  add(finder.join(python.prefix, "Library\\bin"));
  if (python.prefix != python.base_prefix) {
    add(finder.join(python.base_prefix, "Library\\bin"));
  }
  if (parse_release(import.framework().version) >= Release{2, 10}) {
    add(finder.join(python.prefix, "bin"));
  }
  std::string program_files = finder.variable("ProgramFiles");
  if (program_files.empty()) {
    program_files = "C:\\Program Files";
  }
  const auto none_has = [&](std::string_view prefix, std::string_view suffix) {
    for (const std::string& folder : folders) {
      if (!finder.starting_with(folder, prefix, suffix).empty()) {
        return false;
      }
    }
    return true;
  };
  std::string nvtx;
  if (none_has("nvToolsExt64_1", ".dll")) {
    nvtx = finder.variable("NVTOOLSEXT_PATH");
    nvtx = finder.join(
        nvtx.empty() ? finder.join(program_files, "NVIDIA Corporation\\NvToolsExt") : nvtx,
        "bin\\x64");
  }
  std::string toolkit;
  const std::string& cuda = import.framework().cuda;
  if (!cuda.empty() && none_has("cudart64", ".dll")) {
    std::string digits = cuda;
    std::ranges::replace(digits, '.', '_');
    toolkit = finder.variable("CUDA_PATH_V" + digits);
    toolkit = finder.join(
        toolkit.empty() ? finder.join(program_files, "NVIDIA GPU Computing Toolkit\\CUDA\\v" + cuda)
                        : toolkit,
        "bin");
  }
  add(nvtx);
  add(toolkit);
  return folders;
}

}  // namespace

void load_torch(LinuxImport& import) {
  TorchOnLinux(import).load();
}

void load_torch(WindowsImport& import) {
  const std::vector<std::string> folders = dll_folders(import);
  for (const std::string& folder : folders) {
    import.add_folder(folder);
  }
  for (const char* name : {"vcruntime140.dll", "msvcp140.dll", "vcruntime140_1.dll"}) {
    if (!import.open_by_ctypes(name, std::string(kInit), Wanted::optional)) {
      break;  // a line on the screen, no more
    }
  }
  bool path_is_patched = false;
  for (const std::string& dll :
       import.finder().starting_with(import.in_site("torch\\lib"), "", ".dll")) {
    if (import.open(dll, kLoadSearchDllLoadDir | kLoadSearchDefaultDirs, std::string(kInit),
                    Wanted::optional)) {
      continue;
    }
    if (import.last_error() == kErrorModuleNotFound) {
      if (!path_is_patched) {
        import.put_before_path(folders);
        path_is_patched = true;
      }
      import.forget_last_request();
      if (import.open(dll, 0, std::string(kInit), Wanted::required)) {
        continue;
      }
    }
    import.fail_by_last_request();
    return;
  }
  import.import_module("torch", "_C", Wanted::required);
  if (import.failed() || !import.find_loaded("torch_cuda.dll")) {
    return;
  }
  import.first_use();
  import.open("nvcuda.dll", kLoadSearchSystem32, "cudart", Wanted::required);
  open_cudnn_parts(import);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Paddle. Sources: python/paddle/base/core.py, python/paddle/__init__.py,
// paddle/phi/backends/dynload/dynamic_loader.cc.
//
// `import` opens libpaddle.so, which needs no CUDA library: each is opened when it is first called,
// from NVIDIA's wheel where Paddle was built for them, then by the loader's search, then from
// /usr/local/cuda. A build that is not for the wheels asks for names without a version
// (libcudnn.so), which only development packages have.
#include <string_view>

#include "base/text.h"
#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

constexpr std::string_view kCuda = "/usr/local/cuda/lib64";

struct Library {
  std::string_view folder;  // below site-packages/nvidia
  std::string_view stem;
  unsigned major11, major12, major13;  // of the SONAME by CUDA's major
  bool in_cuda_folder;                 // /usr/local/cuda is a place of it
  Wanted wanted;
};

constexpr Library kLibraries[] = {
    {"cublas", "cublas", 11, 12, 13, false, Wanted::required},
    {"cublas", "cublasLt", 11, 12, 13, false, Wanted::required},
    {"cudnn", "cudnn", 8, 9, 9, true, Wanted::optional},
    {"curand", "curand", 10, 10, 10, false, Wanted::required},
    {"cusolver", "cusolver", 11, 11, 12, false, Wanted::required},
    {"cusparse", "cusparse", 11, 12, 12, false, Wanted::required},
};

constexpr Release kCudnn9Since = {12, 3};           // CUDA_VERSION >= 12030
constexpr std::uint64_t kMaxVersionFile = 1 << 16;  // the real one has 6 KB

/// Whether the build takes CUDA from NVIDIA's wheels, as paddle/version/__init__.py says:
/// with_pip_cuda_libraries = 'ON'. Releases without that line: if those wheels are there.
bool is_for_wheels(LinuxImport& import) {
  const auto source = import.files().open(import.in_site("paddle/version/__init__.py"));
  if (source) {
    if (const auto bytes = read_range(**source, 0, (*source)->size(), kMaxVersionFile)) {
      const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with("with_pip_cuda_libraries")) {
          return line.find("ON") != std::string_view::npos;
        }
      }
    }
  }
  return import.finder().is_folder(import.in_site("nvidia"));
}

unsigned soname_of(const Library& library, const Release& cuda) {
  if (library.stem == "cudnn") {
    return cuda >= kCudnn9Since ? 9 : 8;
  }
  return cuda.major <= 11 ? library.major11 : cuda.major == 12 ? library.major12 : library.major13;
}

}  // namespace

void load_paddle(LinuxImport& import) {
  const bool is_old = !import.finder().is_folder(import.in_site("paddle/base"));
  const std::string core = is_old ? "paddle/fluid" : "paddle/base";
  if (import.finder().extension_module(import.in_site(core), "libpaddle").empty()) {
    import.import_module(core, "core_avx", Wanted::required);  // 2.3 and older
  } else {
    import.import_module(core, "libpaddle", Wanted::required);
  }
  const auto paddle = import.last_object();
  if (import.failed() || !paddle || import.framework().cuda.empty()) {
    return;
  }
  const Release release = parse_release(import.framework().cuda);
  const unsigned cuda = release.major;
  // Parts of Paddle are libraries of their own since 2.6; they are who asks.
  const std::size_t asker = import.find_loaded("libphi_core.so")
                                .value_or(import.find_loaded("libphi.so").value_or(*paddle));
  import.first_use();
  import.open_by_library("libcuda.so.1", asker, Wanted::required);
  const bool for_wheels = is_for_wheels(import);
  for (const Library& library : kLibraries) {
    const std::string bare = "lib" + std::string(library.stem) + ".so";
    const std::string name =
        for_wheels ? bare + "." + std::to_string(soname_of(library, release)) : bare;
    std::vector<std::string> names;
    if (for_wheels) {
      const std::string unified = "nvidia/cu" + std::to_string(cuda) + "/lib/" + name;
      names.push_back(import.in_site("nvidia/" + std::string(library.folder) + "/lib/" + name));
      if (cuda >= 13 && library.stem != "cudnn") {
        names.push_back(import.in_site(unified));
      }
    }
    if (library.in_cuda_folder) {
      names.push_back(std::string(kCuda) + "/" + name);
    }
    names.insert(names.end() - (library.in_cuda_folder ? 1 : 0), name);
    // The loader's words are those for the bare name, whatever was tried last.
    bool came = false;
    for (const std::string& candidate : names) {
      if (import.would_open(candidate, asker)) {
        came = import.open_by_library(candidate, asker, library.wanted);
        break;
      }
    }
    if (!came) {
      import.open_by_library(name, asker, library.wanted);
    }
  }
  open_cudnn_parts(import, CudnnUse::graph_and_ops);
}

void load_paddle(WindowsImport& import) {
  const bool is_old = !import.finder().is_folder(import.in_site("paddle\\base"));
  const std::string core = is_old ? "paddle/fluid" : "paddle/base";
  const std::string libs = import.in_site("paddle/libs");
  import.put_before_path({import.in_site(core), libs});
  import.add_folder(libs);
  std::vector<std::string> wheels;
  for (const char* folder : {"cublas", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand",
                             "cusolver", "cusparse", "nvjitlink"}) {
    const std::string path = import.in_site("nvidia/" + std::string(folder) + "/bin");
    if (import.finder().is_folder(path)) {
      import.add_folder(path);
      wheels.push_back(path);
    }
  }
  import.put_before_path(wheels);
  import.import_module(core, "libpaddle", Wanted::required);
  if (import.failed() || import.framework().cuda.empty()) {
    return;
  }
  const Release cuda = parse_release(import.framework().cuda);
  const std::string major = std::to_string(cuda.major);
  import.first_use();
  const std::string loader = "paddle/phi/backends/dynload/dynamic_loader.cc";
  const auto open_first = [&](const std::vector<std::string>& names, Wanted wanted) {
    for (const std::string& name : names) {
      if (import.open(name, 0, loader, wanted)) {
        return;
      }
      if (&name != &names.back()) {
        import.forget_last_request();
      }
    }
  };
  import.open("nvcuda.dll", 0, loader, Wanted::required);
  for (const char* stem : {"cublas64_", "curand64_", "cusolver64_", "cusparse64_"}) {
    std::vector<std::string> names = {stem + major + std::to_string(cuda.minor) + ".dll",
                                      stem + major + ".dll"};
    if (std::string_view(stem) != "cublas64_") {
      names.push_back(std::string(stem) + "10.dll");
    }
    open_first(names, Wanted::required);
  }
  open_first({cuda >= kCudnn9Since ? "cudnn64_9.dll" : "cudnn64_8.dll"}, Wanted::optional);
}

}  // namespace plumb

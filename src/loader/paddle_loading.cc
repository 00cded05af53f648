// SPDX-License-Identifier: Apache-2.0
// Paddle. Sources: python/paddle/base/core.py, python/paddle/__init__.py,
// paddle/phi/backends/dynload/dynamic_loader.cc, of 2.4 to 3.1.
//
// `import` opens libpaddle.so, and each CUDA library is opened when it is first called: from
// NVIDIA's wheel if Paddle was built for them (with_pip_cuda_libraries), then by the loader's
// search, cuDNN then from /usr/local/cuda. A build that is not for the wheels asks for names
// without a version (libcudnn.so), which only development packages have. Builds for CUDA 13 open
// them by rules that were not seen: nothing is said of them.
#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

struct Library {
  std::string_view folder;  // below site-packages/nvidia; "" = the wheel is not looked into
  std::string_view stem;
  unsigned major11, major12;  // of the SONAME by CUDA's major
  Wanted wanted;
};

constexpr Library kLibraries[] = {
    {"cublas", "cublas", 11, 12, Wanted::required},
    {"cublas", "cublasLt", 11, 12, Wanted::required},
    {"cudnn", "cudnn", 0, 0, Wanted::optional},  // by cudnn_major()
    {"curand", "curand", 10, 10, Wanted::required},
    {"", "cusolver", 11, 11, Wanted::required},
    {"cusparse", "cusparse", 11, 12, Wanted::required},
};

unsigned cudnn_major(Release cuda) {
  return cuda >= Release{12, 3} ? 9 : 8;
}

std::string major_of(const Library& library, Release cuda) {
  const unsigned major = cuda.major <= 11 ? library.major11 : library.major12;
  return std::to_string(major == 0 ? cudnn_major(cuda) : major);
}

template <class Import>
std::string core_folder(Import& import) {
  return import.finder().is_folder(import.in_site("paddle/base")) ? "paddle/base" : "paddle/fluid";
}

template <class Import>
bool is_for_wheels(Import& import) {
  return import.finder().text_constant(import.in_site("paddle/version/__init__.py"),
                                       "with_pip_cuda_libraries") == "ON";
}

bool is_known(const FrameworkToLoad& framework) {
  return !framework.cuda.empty() && parse_release(framework.cuda) < Release{13, 0};
}

}  // namespace

void load_paddle(LinuxImport& import) {
  const std::string core = core_folder(import);
  const bool is_one = !import.finder().extension_module(import.in_site(core), "libpaddle").empty();
  import.import_module(core, is_one ? "libpaddle" : "core_avx", Wanted::required);
  const auto paddle = import.last_object();
  if (import.failed() || !paddle || !is_known(import.framework())) {
    return;
  }
  const Release cuda = parse_release(import.framework().cuda);
  // Parts of Paddle are libraries of their own since 2.6; they are who asks.
  const std::size_t asker = import.find_loaded("libphi_core.so")
                                .value_or(import.find_loaded("libphi.so").value_or(*paddle));
  import.first_use();
  import.open_by_library("libcuda.so", asker, Wanted::optional);
  open_driver(import);
  const bool for_wheels = is_for_wheels(import);
  for (const Library& library : kLibraries) {
    const std::string bare = "lib" + std::string(library.stem) + ".so";
    const std::string name = for_wheels ? bare + "." + major_of(library, cuda) : bare;
    std::vector<std::string> places = {name};
    if (for_wheels && !library.folder.empty()) {
      places.insert(places.begin(),
                    import.in_site("nvidia/" + std::string(library.folder) + "/lib/" + name));
    }
    if (library.stem == "cudnn") {
      places.push_back("/usr/local/cuda/lib64/" + name);
    }
    // If none comes, the fault is told for the bare name, which the user knows.
    std::string chosen = name;
    for (const std::string& place : places) {
      if (import.would_open(place, asker)) {
        chosen = place;
        break;
      }
    }
    import.open_by_library(chosen, asker, library.wanted);
  }
  open_cudnn_parts(import, CudnnUse::graph_and_ops);
}

void load_paddle(WindowsImport& import) {
  const std::string core = core_folder(import);
  const std::string libs = import.in_site("paddle/libs");
  import.put_before_path({import.in_site(core), libs});
  import.add_folder(libs);
  import.import_module(core, "libpaddle", Wanted::required);
  if (import.failed() || !is_known(import.framework())) {
    return;
  }
  const bool for_wheels = is_for_wheels(import);
  if (for_wheels) {
    const PythonPlace& python = import.python();
    std::vector<std::string> folders = {libs, import.finder().join(python.prefix, "Library\\bin")};
    if (python.prefix != python.base_prefix) {
      folders.push_back(import.finder().join(python.base_prefix, "Library\\bin"));
    }
    std::vector<std::string> dlls = import.finder().starting_with(libs, "", ".dll");
    for (const char* folder : {"cublas", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand",
                               "cusolver", "cusparse", "nvjitlink"}) {
      folders.push_back(import.in_site("nvidia/" + std::string(folder) + "/bin"));
      for (std::string& dll : import.finder().starting_with(folders.back(), "", ".dll")) {
        if (dll.find("32_") == std::string::npos) {
          dlls.push_back(std::move(dll));
        }
      }
    }
    for (const std::string& folder : folders) {
      import.add_folder(folder);
    }
    import.open_each(dlls, folders, "paddle/__init__.py");
    if (import.failed()) {
      return;
    }
  }
  const Release cuda = parse_release(import.framework().cuda);
  const std::string loader = "paddle/phi/backends/dynload/dynamic_loader.cc";
  import.first_use();
  import.open("nvcuda.dll", kLoadSearchSystem32, loader, Wanted::required);
  for (const Library& library : kLibraries) {
    const std::string stem = std::string(library.stem) + "64_";
    std::vector<std::string> names = {stem + major_of(library, cuda) + ".dll"};
    if (!for_wheels && library.stem != "cudnn") {
      const std::string major = std::to_string(cuda.major);
      names = {stem + major + std::to_string(cuda.minor) + ".dll", stem + major + ".dll"};
      if (library.stem == "cublasLt") {
        continue;  // asked for under cuBLAS's own name
      }
      if (library.stem != "cublas") {
        names.push_back(stem + "10.dll");
      }
    }
    for (const std::string& name : names) {
      if (import.open(name, for_wheels ? kLoadSearchDefaultDirs : 0, loader, library.wanted) ||
          &name == &names.back()) {
        break;
      }
      import.forget_last_request();
    }
  }
}

}  // namespace plumb

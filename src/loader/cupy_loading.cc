// SPDX-License-Identifier: Apache-2.0
// CuPy. Sources: cupy/_environment.py of 12.3, 13.6 and 14.2; their extension modules' needs;
// LD_DEBUG=files of 14.2.0 on an H200.
//
// Up to 12 every extension module needs the CUDA libraries themselves. 13 and 14 open most of them
// through a table of functions ("softlink") when first used, 14 after cuda.pathfinder has loaded
// them.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "loader/cuda_first_use.h"
#include "loader/cuda_pathfinder.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxConfig = 1 << 20;  // the real one has 700 bytes

/// cupy/.data/_wheel.json: what a wheel was built with.
struct WheelConfig {
  std::string cuda;       // "12.x"
  std::string packaging;  // "pip", "conda"; "" = no wheel
  std::string cutensor_version;
  std::vector<std::string> cutensor_files;
};

WheelConfig read_config(FileView& files, const std::string& path) {
  WheelConfig config;
  const auto source = files.open(path);
  if (!source) {
    return config;
  }
  const auto bytes = read_range(**source, 0, (*source)->size(), kMaxConfig);
  if (!bytes) {
    return config;
  }
  const auto* const text = reinterpret_cast<const char*>(bytes->data());
  const nlohmann::json json =
      nlohmann::json::parse(text, text + bytes->size(), nullptr, /*allow_exceptions=*/false);
  const auto text_of = [](const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string{};
  };
  config.cuda = text_of(json, "cuda");
  config.packaging = text_of(json, "packaging");
  if (json.is_object() && json.contains("cutensor")) {
    const nlohmann::json& cutensor = json["cutensor"];
    config.cutensor_version = text_of(cutensor, "version");
    if (cutensor.is_object() && cutensor.contains("filenames") &&
        cutensor["filenames"].is_array()) {
      for (const nlohmann::json& name : cutensor["filenames"]) {
        if (name.is_string()) {
          config.cutensor_files.push_back(name.get<std::string>());
        }
      }
    }
  }
  return config;
}

/// Modules that are imported only when they are used, with the library of each.
struct Lazy {
  std::string_view folder, module, library;
};
constexpr std::array<Lazy, 6> kLazy = {{{"cupy_backends/cuda/libs", "curand", "curand"},
                                        {"cupy_backends/cuda/libs", "cublas", "cublas"},
                                        {"cupy_backends/cuda/libs", "cusparse", "cusparse"},
                                        {"cupy_backends/cuda/libs", "cusolver", "cusolver"},
                                        {"cupy_backends/cuda/libs", "nccl", "nccl"},
                                        {"cupy/cuda", "cufft", "cufft"}}};

bool is_lazy(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  const std::string_view stem = name.substr(0, name.find('.'));
  return stem == "jitify" || stem == "cudnn" || stem == "cutensor" ||
         std::ranges::any_of(kLazy, [&](const Lazy& lazy) { return lazy.module == stem; });
}

void preload_cutensor(LinuxImport& import, const WheelConfig& config, CudaPathfinder* pathfinder) {
  if (config.packaging != "pip") {
    return;
  }
  if (pathfinder != nullptr && pathfinder->load("cutensor")) {
    return;
  }
  for (const std::string& file : config.cutensor_files) {
    // The wheel cutensor-cuNN, then CuPy's own installer's folder, then the loader's search.
    const std::string major = config.cutensor_version.substr(0, config.cutensor_version.find('.'));
    std::vector<std::string> paths;
    for (const std::string& folder : import.finder().sys_path()) {
      paths.push_back(import.finder().join(
          folder, "cutensor/lib/" + file.substr(0, file.find('.')) + ".so." + major));
    }
    if (const std::string root = import.finder().variable("CUPY_CUDA_LIB_PATH"); !root.empty()) {
      for (const char* below : {"lib", "lib64"}) {
        paths.push_back(root + "/" + config.cuda + "/cutensor/" + config.cutensor_version + "/" +
                        below + "/" + file);
      }
    }
    const auto found = std::ranges::find_if(
        paths, [&](const std::string& path) { return import.finder().is_file(path); });
    import.open_by_ctypes(found == paths.end() ? file : *found, "cupy/_environment.py",
                          Wanted::optional);
  }
}

/// "12.x" -> "libnvrtc.so.12"; CUDA 11 kept 11.2's name.
std::string nvrtc_name(const WheelConfig& config) {
  const std::string major = config.cuda.substr(0, config.cuda.find('.'));
  return "libnvrtc.so." + (major == "11" ? std::string("11.2") : major);
}

}  // namespace

void load_cupy(LinuxImport& import) {
  const Release release = parse_release(import.framework().version);
  const WheelConfig config = read_config(import.files(), import.in_site("cupy/.data/_wheel.json"));
  CudaPathfinder pathfinder(import);
  const bool by_pathfinder = release >= Release{14, 0};
  preload_cutensor(import, config, by_pathfinder ? &pathfinder : nullptr);

  import.import_module("cupy/_core", "core", Wanted::required);
  if (import.failed()) {
    return;
  }
  for (const char* folder :
       {"cupy_backends/cuda", "cupy_backends/cuda/api", "cupy_backends/cuda/libs", "cupy/cuda",
        "cupy/_core", "cupy/fft", "cupy/random", "cupy/lib"}) {
    for (const std::string& module : import.finder().extension_modules(import.in_site(folder))) {
      if (!is_lazy(module)) {
        import.import_module(module, Wanted::required);
      }
    }
  }
  if (import.failed()) {
    return;
  }
  import.import_module("cupy_backends/cuda/libs", "cutensor", Wanted::optional);

  import.first_use();
  import.open_by_ctypes("libcuda.so.1", "cupy_backends/cuda/_softlink", Wanted::required);
  const auto use = [&](std::string_view library) {
    if (by_pathfinder) {
      pathfinder.load(library);
    }
    const auto lazy = std::ranges::find(kLazy, library, &Lazy::library);
    if (lazy != kLazy.end()) {
      import.import_module(std::string(lazy->folder), lazy->module, Wanted::required);
    }
  };
  use("curand");  // cupy.random; the compiler and the product come next, then what an FFT takes
  if (by_pathfinder) {
    pathfinder.load("nvrtc");
  } else if (!config.cuda.empty()) {
    import.open_by_ctypes(nvrtc_name(config), "cupy_backends/cuda/_softlink", Wanted::required);
  }
  open_nvrtc_builtins(import);
  use("cublas");
  use("cusparse");
  use("cufft");
}

void load_cupy(WindowsImport& import) {
  const PythonFinder& finder = import.finder();
  const Release release = parse_release(import.framework().version);
  const WheelConfig config = read_config(import.files(), import.in_site("cupy/.data/_wheel.json"));
  // The toolkit's root: from 14 on where NVRTC lies, before that CUDA_PATH.
  std::string root;
  if (release >= Release{14, 0}) {
    const std::string nvrtc = find_by_pathfinder(import, "nvrtc");
    std::string folder = nvrtc.substr(0, nvrtc.find_last_of('\\'));
    if (folder.ends_with("\\x64") || folder.ends_with("\\x86_64")) {
      folder = folder.substr(0, folder.find_last_of('\\'));
    }
    root = folder.substr(0, folder.find_last_of('\\'));
  } else {
    root = finder.variable("CUDA_PATH");
  }
  if (config.packaging == "conda") {
    import.add_folder(finder.join(finder.variable("CONDA_PREFIX"), "Library\\bin"));
  } else if (!root.empty()) {
    import.add_folder(finder.join(root, "bin"));
    import.add_folder(finder.join(root, "bin\\x64"));
  }
  import.add_folder(import.in_site("cupy\\.data\\lib"));

  import.import_module("cupy/_core", "core", Wanted::required);
  for (const char* folder : {"cupy_backends/cuda", "cupy_backends/cuda/api",
                             "cupy_backends/cuda/libs", "cupy/cuda", "cupy/_core"}) {
    for (const std::string& module : import.finder().extension_modules(import.in_site(folder))) {
      if (!import.failed() && !is_lazy(module)) {
        import.import_module(module, Wanted::required);
      }
    }
  }
  if (import.failed()) {
    return;
  }
  import.first_use();
  import.open_by_ctypes("nvcuda.dll", "cupy_backends/cuda/_softlink", Wanted::required);
  for (const char* library : {"curand", "nvrtc", "cublas", "nvJitLink", "cusparse", "cufft"}) {
    const std::string path =
        release >= Release{14, 0} ? find_by_pathfinder(import, library) : std::string{};
    if (!path.empty()) {
      import.open_by_ctypes(path, "cuda/pathfinder", Wanted::optional);
    }
    const auto lazy = std::ranges::find(kLazy, std::string_view(library), &Lazy::library);
    if (lazy != kLazy.end()) {
      import.import_module(std::string(lazy->folder), lazy->module, Wanted::required);
    }
  }
}

}  // namespace plumb

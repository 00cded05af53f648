// SPDX-License-Identifier: Apache-2.0
// JAX. Sources: jax_plugins/xla_cuda12 and xla_cuda13/__init__.py (initialize()),
// jaxlib/plugin_support.py; LD_DEBUG=files of jax 0.11.2 on an H200.
//
// `import jax` opens jaxlib's extension modules and those of the CUDA plugin. The latter name no
// CUDA library as needed: they open each when it is first called, and those with kernels inside
// open the runtime as they are loaded. The first device asked for starts the plugin: NVIDIA's
// wheels are opened by their paths, then every component is asked for its version, then XLA itself
// comes.
#include <algorithm>
#include <array>

#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

/// A plugin for one CUDA major.
struct Plugin {
  std::string_view package;  // of the extension modules
  std::string_view pjrt;     // of xla_cuda_plugin.so
  std::string_view runtime, cufft, cupti, cublas, cusparse;
};

constexpr std::array<Plugin, 2> kPlugins = {{
    {"jax_cuda13_plugin", "jax_plugins/xla_cuda13", "libcudart.so.13", "libcufft.so.12",
     "libcupti.so.13", "libcublas.so.13", "libcusparse.so.12"},
    {"jax_cuda12_plugin", "jax_plugins/xla_cuda12", "libcudart.so.12", "libcufft.so.11",
     "libcupti.so.12", "libcublas.so.12", "libcusparse.so.12"},
}};

/// The plugin's list: (package of NVIDIA's wheels, file).
struct Preload {
  std::string_view package, file;
};

constexpr Preload kPreloads[] = {
    {"nvidia.cuda_runtime", "libcudart.so.12"},
    {"nvidia.cu13", "libcudart.so.13"},
    {"nvidia.cuda_nvrtc", "libnvrtc.so.12"},
    {"nvidia.cu13", "libnvrtc.so.13"},
    {"nvidia.cublas", "libcublas.so.12"},
    {"nvidia.cublas", "libcublasLt.so.12"},
    {"nvidia.cu13", "libcublas.so.13"},
    {"nvidia.cu13", "libcublasLt.so.13"},
    {"nvidia.nccl", "libnccl.so.2"},
    {"nvidia.cuda_cupti", "libcupti.so.12"},
    {"nvidia.cu13", "libcupti.so.13"},
    {"nvidia.cusparse", "libcusparse.so.12"},
    {"nvidia.cu13", "libcusparse.so.12"},
    {"nvidia.cusolver", "libcusolver.so.11"},
    {"nvidia.cu13", "libcusolver.so.12"},
    {"nvidia.cufft", "libcufft.so.11"},
    {"nvidia.cu13", "libcufft.so.12"},
    {"nvidia.nvshmem", "libnvshmem_host.so.3"},
    {"nvidia.cudnn", "libcudnn.so.9"},
};

constexpr Release kPreloadsSince = {0, 6, 2}, kCuda13Since = {0, 7};

}  // namespace

void load_jax(LinuxImport& import) {
  PythonFinder& finder = import.finder();
  for (const char* folder : {"jaxlib", "jaxlib/cpu", "jaxlib/mlir/_mlir_libs"}) {
    for (const std::string& module : finder.extension_modules(import.in_site(folder))) {
      // One that every version needs; others come and go.
      const bool is_core = module.ends_with("/_jax.so") || module.ends_with("/xla_extension.so") ||
                           module.ends_with("/cpu_feature_guard.so");
      import.import_module(module, is_core ? Wanted::required : Wanted::optional);
      if (import.failed()) {
        return;
      }
    }
  }
  const Plugin* plugin = nullptr;
  std::string folder;
  for (const Plugin& candidate : kPlugins) {
    if (const auto found = finder.package_folders(candidate.package); !found.empty()) {
      plugin = &candidate;
      folder = found.front();
      break;
    }
  }
  if (plugin == nullptr) {
    return;
  }
  for (const char* name :
       {"_versions", "_solver", "_hybrid", "_sparse", "_prng", "_linalg", "_rnn", "_triton"}) {
    const std::string module = finder.extension_module(folder, name);
    if (module.empty() || !import.import_module(module, Wanted::optional)) {
      continue;
    }
    // Modules with kernels register them with the runtime from a constructor.
    const bool has_kernels = std::string_view(name) == "_solver" ||
                             std::string_view(name) == "_prng" ||
                             std::string_view(name) == "_linalg";
    if (const auto opened = import.last_object(); has_kernels && opened) {
      import.open_by_library(std::string(plugin->runtime), *opened, Wanted::optional);
    }
  }

  import.first_use();
  if (const std::string module = finder.extension_module(folder, "cuda_plugin_extension");
      !module.empty()) {
    import.import_module(module, Wanted::optional);
  }
  const std::string init = std::string(plugin->pjrt) + "/__init__.py";
  const Release release = parse_release(import.framework().version);
  for (const Preload& preload : kPreloads) {
    if (release < kPreloadsSince || (release < kCuda13Since && preload.package == "nvidia.cu13")) {
      continue;
    }
    const auto package = finder.package_folders(preload.package);
    if (package.empty()) {
      continue;
    }
    const std::string path = finder.join(package.front(), "lib/" + std::string(preload.file));
    // A wheel that is not there is no fault: every list has both majors.
    if (finder.is_file(path)) {
      import.open_by_ctypes(path, init, Wanted::optional);
    }
  }
  const std::string versions = finder.extension_module(folder, "_versions");
  const auto asker = versions.empty() ? std::nullopt : import.find_file(versions);
  if (asker) {
    import.open_by_library(std::string(plugin->runtime), *asker, Wanted::required);
    import.open_by_library("libcudnn.so.9", *asker, Wanted::required);
    open_cudnn_graph(import);
    for (const std::string_view library :
         {plugin->cufft, plugin->cupti, plugin->cublas, plugin->cusparse}) {
      import.open_by_library(std::string(library), *asker, Wanted::required);
    }
    import.open_by_library("libcuda.so.1", *asker, Wanted::required);
  }
  std::string xla;
  for (const std::string& candidate :
       finder.package_folders(std::string(plugin->pjrt.substr(0, plugin->pjrt.find('/'))) + "." +
                              std::string(plugin->pjrt.substr(plugin->pjrt.find('/') + 1)))) {
    xla = finder.join(candidate, "xla_cuda_plugin.so");
  }
  const auto common = import.find_loaded_prefix("libjax_common.so");
  const std::size_t opener = common ? *common : import.find_loaded("xla_extension.so").value_or(0);
  if (xla.empty() || !import.open_by_library(xla, opener, Wanted::required)) {
    return;
  }
  if (const auto opened = import.last_object()) {
    const std::size_t plugin_object = *opened;
    for (const std::string_view library : {plugin->runtime, std::string_view("libcuda.so.1"),
                                           std::string_view("libnvidia-ml.so.1")}) {
      import.open_by_library(std::string(library), plugin_object, Wanted::required);
    }
    open_driver(import);
    import.open_by_library("libcudnn.so.9", plugin_object, Wanted::required);
  }
  open_cudnn_parts(import, CudnnUse::graph_and_ops);
}

}  // namespace plumb

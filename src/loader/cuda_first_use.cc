// SPDX-License-Identifier: Apache-2.0
// cuDNN since 8 is a shim, libcudnn.so.N, that opens its parts by name when they are first needed,
// with itself as the one who asks: LD_LIBRARY_PATH comes before the shim's own RUNPATH. So the
// parts may come from another copy than the shim. Measured with LD_DEBUG=files (cuDNN 9.19 under
// PyTorch 2.11 and JAX 0.11 on an H200):
//
//   libcudnn.so.9        -> libcudnn_graph.so.9.19.0, .so.9.19, .so.9; libcudnn_ops likewise
//   libcudnn_graph.so.9  -> libcudnn_engines_precompiled, libcudnn_heuristic,
//                           libcudnn_engines_runtime_compiled, each by the same three names
//
// cuDNN's own message has a fourth name: "Unable to load any of {libcudnn_ops.so.9.1.0,
// libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}". cuDNN 8 asks for one name alone:
// "Could not load library libcudnn_cnn_infer.so.8."
#include "loader/cuda_first_use.h"

#include "binary/file_versions.h"

namespace plumb {
namespace {

/// The version in a library's own bytes: "9.19.0"; "" if it does not say.
std::string version_of(LinuxImport& import, std::size_t index, const std::string& library) {
  const LinuxObject& object = import.object(index);
  const auto source = import.files().open(object.file);
  if (!source || object.elf == nullptr) {
    return {};
  }
  const auto versions = read_file_versions(**source, *object.elf);
  const auto found = versions.find(library);
  return found == versions.end() ? std::string{} : found->second;
}

std::string cudnn_version(LinuxImport& import, std::size_t index) {
  return version_of(import, index, "cudnn");
}

/// "libcudnn_graph.so" and "9.19.0" -> "libcudnn_graph.so.9.19.0", ".9.19", ".9" and the bare name
/// only where nothing else is left.
std::vector<std::string> names_of_part(const std::string& part, std::string version) {
  const std::string stem = "libcudnn_" + part + ".so";
  std::vector<std::string> names;
  while (version.find('.') != std::string::npos) {
    names.push_back(stem + "." + version);
    version.erase(version.rfind('.'));
  }
  names.push_back(stem + ".9");
  return names;
}

void open_part(LinuxImport& import, std::size_t asker, const std::string& part,
               const std::string& version) {
  const std::vector<std::string> names = names_of_part(part, version);
  if (import.open_first_by_library(names, asker, Wanted::required)) {
    return;
  }
  const std::string bare = "libcudnn_" + part + ".so";
  if (import.would_open(bare, asker)) {
    import.open_by_library(bare, asker, Wanted::optional);
  }
}

}  // namespace

void open_driver(LinuxImport& import) {
  if (const auto runtime = import.find_loaded_prefix("libcudart.so.")) {
    import.open_by_library("libcuda.so.1", *runtime, Wanted::required);
  }
}

void open_cudnn_graph(LinuxImport& import) {
  if (const auto shim = import.find_loaded("libcudnn.so.9")) {
    open_part(import, *shim, "graph", cudnn_version(import, *shim));
  }
}

void open_nvrtc_builtins(LinuxImport& import) {
  const auto nvrtc = import.find_loaded_prefix("libnvrtc.so.");
  if (!nvrtc) {
    return;
  }
  const std::string version = version_of(import, *nvrtc, "nvrtc");
  if (const std::size_t dot = version.find('.'); dot != std::string::npos) {
    import.open_by_library("libnvrtc-builtins.so." + version.substr(0, version.find('.', dot + 1)),
                           *nvrtc, Wanted::required);
  }
}

void open_cudnn_parts(LinuxImport& import, CudnnUse use) {
  if (const auto shim = import.find_loaded("libcudnn.so.8")) {
    import.open_by_library("libcudnn_ops_infer.so.8", *shim, Wanted::required);
    import.open_by_library("libcudnn_cnn_infer.so.8", *shim, Wanted::required);
    return;
  }
  const auto shim = import.find_loaded("libcudnn.so.9");
  if (!shim) {
    return;
  }
  const std::string version = cudnn_version(import, *shim);
  open_part(import, *shim, "graph", version);
  if (use == CudnnUse::graph_and_ops) {
    open_part(import, *shim, "ops", version);
  }
  const auto graph = import.find_loaded_prefix("libcudnn_graph.so.");
  if (!graph) {
    return;
  }
  // The parts' version is that of the library which asks.
  const std::string graph_version = cudnn_version(import, *graph);
  for (const char* part : {"engines_precompiled", "heuristic", "engines_runtime_compiled"}) {
    open_part(import, *graph, part, graph_version.empty() ? version : graph_version);
  }
}

void open_cudnn_parts(WindowsImport& import) {
  if (const auto shim = import.find_loaded("cudnn64_8.dll")) {
    import.open_by_library("cudnn_ops_infer64_8.dll", *shim, Wanted::required);
    import.open_by_library("cudnn_cnn_infer64_8.dll", *shim, Wanted::required);
  } else if (const auto newer = import.find_loaded("cudnn64_9.dll")) {
    for (const char* part : {"cudnn_graph64_9.dll", "cudnn_engines_precompiled64_9.dll",
                             "cudnn_heuristic64_9.dll", "cudnn_engines_runtime_compiled64_9.dll"}) {
      import.open_by_library(part, *newer, Wanted::required);
    }
  }
}

}  // namespace plumb

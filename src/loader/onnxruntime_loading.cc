// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime. Sources: onnxruntime/__init__.py and capi/_pybind_state.py of 1.20 to 1.25;
// onnxruntime/core/session/provider_bridge_ort.cc.
//
// `import` opens one extension module, which needs no CUDA library. The first session that asks for
// CUDA opens two libraries beside it, since 1.24 by their paths, before (on Linux) by their names,
// to which the module's RUNPATH of $ORIGIN leads (LD_DEBUG=files with 1.20.2, 1.23.2, 1.24.4 and
// 1.25.1); the second needs CUDA's. If it does not come, that is a line in the log and the work
// goes to the CPU. onnxruntime.preload_dlls() is a call that the user may make; `import` does not.
#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {

void load_onnxruntime(LinuxImport& import) {
  import.import_module("onnxruntime/capi", "onnxruntime_pybind11_state", Wanted::required);
  const auto module = import.last_object();
  const std::string provider = import.in_site("onnxruntime/capi/libonnxruntime_providers_cuda.so");
  if (import.failed() || !module || !import.finder().is_file(provider)) {
    return;
  }
  import.first_use();
  const std::string folder = parse_release(import.framework().version) < Release{1, 24}
                                 ? std::string{}
                                 : import.in_site("onnxruntime/capi/");
  constexpr bool kGlobal = true;  // the provider finds its host's functions in it
  import.open_by_library(folder + "libonnxruntime_providers_shared.so", *module, Wanted::required,
                         kGlobal);
  if (import.open_by_library(folder + "libonnxruntime_providers_cuda.so", *module,
                             Wanted::required)) {
    open_driver(import);
    open_cudnn_parts(import, CudnnUse::graph_and_ops);
  }
}

void load_onnxruntime(WindowsImport& import) {
  import.import_module("onnxruntime/capi", "onnxruntime_pybind11_state", Wanted::required);
  const std::string provider = import.in_site("onnxruntime/capi/onnxruntime_providers_cuda.dll");
  if (import.failed() || !import.finder().is_file(provider)) {
    return;
  }
  import.first_use();
  // LoadLibraryExW with the altered search path: the folder of the DLL, then the usual order.
  const std::string bridge = "onnxruntime/core/session/provider_bridge_ort.cc";
  import.open(import.in_site("onnxruntime/capi/onnxruntime_providers_shared.dll"),
              kLoadAlteredSearchPath, bridge, Wanted::required);
  import.open(provider, kLoadAlteredSearchPath, bridge, Wanted::required);
}

}  // namespace plumb

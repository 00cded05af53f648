// SPDX-License-Identifier: Apache-2.0
// TensorFlow. Sources: tensorflow/python/pywrap_tensorflow.py, the list of GPU libraries in
// stream_executor's dso_loader.cc; seen at work: 2.15.1. Which SONAME belongs to which release is
// known from their packages' requirements.
//
// `import` opens one extension module, which needs TensorFlow's own libraries. When GPUs are
// counted the CUDA libraries are opened by bare names, found by the RPATH of TensorFlow's library
// (the wheels of tensorflow[and-cuda]) or by the loader's search. One that is missing turns all
// GPUs off: "Cannot dlopen some GPU libraries".
#include "loader/cuda_first_use.h"
#include "loader/framework_rules.h"
#include "loader/framework_version.h"

namespace plumb {
namespace {

unsigned cuda_major(const FrameworkToLoad& framework) {
  const Release release = parse_release(framework.cuda);
  return release.major > 99 ? 0 : release.major;
}

bool uses_cudnn_9(const FrameworkToLoad& framework) {
  return parse_release(framework.version) >= Release{2, 18};
}

template <class Import>
void import_core(Import& import) {
  import.import_module("tensorflow/python", "_pywrap_tensorflow_internal", Wanted::required);
}

}  // namespace

void load_tensorflow(LinuxImport& import) {
  import_core(import);
  const auto module = import.last_object();
  const unsigned cuda = cuda_major(import.framework());
  if (import.failed() || !module || cuda == 0) {
    return;
  }
  // LD_DEBUG=files of 2.15.1: it is always this library that opens others.
  const std::size_t asker =
      import.find_loaded_prefix("libtensorflow_framework.so").value_or(*module);
  import.first_use();
  const bool is_11 = cuda <= 11;
  const bool is_13 = cuda >= 13;
  const std::string major = std::to_string(cuda);
  std::vector<std::string> names = {
      is_11 ? "libcudart.so.11.0" : "libcudart.so." + major,
      "libcublas.so." + major,
      "libcublasLt.so." + major,
      is_11 ? "libcufft.so.10" : (is_13 ? "libcufft.so.12" : "libcufft.so.11"),
      is_13 ? "libcusolver.so.12" : "libcusolver.so.11",
      is_11 ? "libcusparse.so.11" : "libcusparse.so.12",
      uses_cudnn_9(import.framework()) ? "libcudnn.so.9" : "libcudnn.so.8"};
  import.open_by_library("libcuda.so.1", asker, Wanted::required);
  for (const std::string& name : names) {
    import.open_by_library(name, asker, Wanted::required);
  }
  open_cudnn_parts(import, CudnnUse::graph_and_ops);
}

void load_tensorflow(WindowsImport& import) {
  // 2.10 is the last with CUDA on Windows; what tensorflow.dll needs lies beside it.
  import_core(import);
  const unsigned cuda = cuda_major(import.framework());
  if (import.failed() || cuda == 0 || parse_release(import.framework().version) >= Release{2, 11}) {
    return;
  }
  import.first_use();
  const std::string loader = "stream_executor/platform/default/dso_loader.cc";
  for (const char* name :
       {"nvcuda.dll", "cudart64_110.dll", "cublas64_11.dll", "cublasLt64_11.dll", "cufft64_10.dll",
        "curand64_10.dll", "cusolver64_11.dll", "cusparse64_11.dll", "cudnn64_8.dll"}) {
    import.open(name, 0, loader, Wanted::required);
  }
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "loader/framework_loading.h"

#include "loader/framework_rules.h"

namespace plumb {
namespace {

/// What Python does with an extension of another framework: each module is opened by itself, and
/// one that fails does not keep the others from being tried.
template <class Import>
void load_modules(Import& import) {
  for (const std::string& module : import.framework().modules) {
    import.import_module(module, Wanted::required);
  }
}

}  // namespace

FrameworkLoad load_framework(LinuxProcess& process, const PythonPlace& python,
                             const FrameworkToLoad& framework) {
  LinuxImport import(process, python, framework);
  const std::string& name = framework.name;
  if (name == "torch") {
    load_torch(import);
  } else if (name == "paddle") {
    load_paddle(import);
  } else if (name == "tensorflow") {
    load_tensorflow(import);
  } else if (name == "jax") {
    load_jax(import);
  } else if (name == "onnxruntime") {
    load_onnxruntime(import);
  } else if (name == "cupy") {
    load_cupy(import);
  } else if (name == "ctranslate2") {
    load_ctranslate2(import);
  } else if (name == "bitsandbytes") {
    load_bitsandbytes(import);
  } else {
    load_modules(import);
  }
  return import.take();
}

FrameworkLoad load_framework(WindowsProcess& process, const PythonPlace& python,
                             const FrameworkToLoad& framework) {
  WindowsImport import(process, python, framework);
  const std::string& name = framework.name;
  if (name == "torch") {
    load_torch(import);
  } else if (name == "paddle") {
    load_paddle(import);
  } else if (name == "tensorflow") {
    load_tensorflow(import);
  } else if (name == "onnxruntime") {
    load_onnxruntime(import);
  } else if (name == "cupy") {
    load_cupy(import);
  } else if (name == "ctranslate2") {
    load_ctranslate2(import);
  } else if (name == "bitsandbytes") {
    load_bitsandbytes(import);
  } else {
    load_modules(import);
  }
  return import.take();
}

}  // namespace plumb

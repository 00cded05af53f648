// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a framework loads when it is imported and when it first computes, in its own order and by
// its own rule: PyTorch, Paddle, TensorFlow, JAX, ONNX Runtime, CuPy, CTranslate2, bitsandbytes.
//
// The rules are those of each project's sources (named beside each rule, with the versions between
// which it holds); what a binary asks for is read from the binary.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader/linux_process.h"
#include "loader/windows_process.h"

namespace plumb {

/// The interpreter's surroundings, in the paths of the machine looked at.
struct PythonPlace {
  std::string python;                 // the interpreter that runs: "/opt/v/bin/python3"
  std::string prefix;                 // sys.prefix
  std::string base_prefix;            // sys.base_prefix
  std::string version;                // "3.12.8"; "" = not known
  std::vector<std::string> sys_path;  // folders of modules in order; site-packages among them
  std::map<std::string, std::string> variables;  // CUDA_PATH, CUDA_HOME, CONDA_PREFIX ...
};

struct FrameworkToLoad {
  std::string name;     // "torch", "paddle", "tensorflow", "jax", "onnxruntime", "cupy",
                        // "ctranslate2", "bitsandbytes"; others: their own modules are opened
  std::string version;  // "2.14.1+cu130"
  std::string site;     // the site-packages folder that holds it
  std::string cuda;     // "13.0": what it was built with; "" = without, or not known
  /// Its extension modules, as paths: what `import` opens. For the frameworks above, those that
  /// their own import opens are known; these are for all others.
  std::vector<std::string> modules;
  /// Its other libraries, as paths. Where a module needs one of them by its name and the loader
  /// looks for it in vain, the package's own code must have opened it before.
  std::vector<std::string> libraries;
};

enum class LoadMoment : std::uint8_t { import, first_use };

/// A library that the framework asked for, whether it came or not.
struct LibraryRequest {
  std::string name;  // "libcudnn.so.9", or a path
  LoadMoment moment = LoadMoment::import;
  std::optional<std::size_t> object;  // in the process
  bool optional = false;              // the framework goes on without it
  std::string fault;                  // why it did not come, in the loader's words
  std::string missing;                // the library that is not found, if that is why
  std::string wanted_by;              // the file that wants that
  std::string asked_by;               // file, or "torch/__init__.py"
};

struct FrameworkLoad {
  bool failed = false;                   // import raises
  std::string fault;                     // the loader's words, as the user would read them
  std::string missing;                   // the library or file that is not found, if that is why
  std::string wanted_by;                 // the file that wants it
  std::vector<LibraryRequest> requests;  // in order
};

/// Imports `framework` in a process in which python runs already, and lets it compute a matrix
/// product and a convolution on a GPU. Several in one process: call it for each in order.
[[nodiscard]] FrameworkLoad load_framework(LinuxProcess& process, const PythonPlace& python,
                                           const FrameworkToLoad& framework);
[[nodiscard]] FrameworkLoad load_framework(WindowsProcess& process, const PythonPlace& python,
                                           const FrameworkToLoad& framework);

}  // namespace plumb

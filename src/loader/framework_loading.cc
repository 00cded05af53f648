// SPDX-License-Identifier: Apache-2.0
#include "loader/framework_loading.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include "base/text.h"
#include "loader/framework_rules.h"

namespace plumb {
namespace {

/// The package's own libraries that a module stands on and that the loader would not find; those
/// that they stand on themselves come first. torch.ops.load_library() and ctypes open them so.
template <class Import>
void open_libraries_below(Import& import, const std::string& module) {
  const std::vector<std::string>& own = import.framework().libraries;
  std::vector<const std::string*> to_open;  // each stands on the next
  std::set<std::string_view> seen;          // one that came under another name helps no second time
  std::string next = module;
  while (true) {
    const std::string missing = import.missing_for(next);
    const auto hit = std::ranges::find_if(own, [&](const std::string& path) {
      return !missing.empty() && base_name(path) == missing;
    });
    if (hit != own.end() && seen.insert(*hit).second) {
      to_open.push_back(&*hit);
      next = *hit;
    } else if (to_open.empty()) {
      return;
    } else {
      const bool opened = import.open_by_ctypes(*to_open.back(), "its own code", Wanted::required);
      to_open.pop_back();
      if (!opened) {
        return;
      }
      next = to_open.empty() ? module : *to_open.back();
    }
  }
}

/// What Python does with an extension of another framework: each module is opened by itself, and
/// one that fails does not keep the others from being tried.
/// A package of libraries alone opens one by hand, often the first that comes of several builds.
template <class Import>
void load_modules(Import& import) {
  const std::vector<std::string>& libraries = import.framework().libraries;
  const auto open = [&](const std::string& path) {
    return import.open_by_ctypes(path, "its own code", Wanted::optional);
  };
  if (import.framework().modules.empty() && !libraries.empty() &&
      std::ranges::none_of(libraries, open)) {
    import.open_by_ctypes(libraries.front(), "its own code", Wanted::required);
  }
  for (const std::string& module : import.framework().modules) {
    open_libraries_below(import, module);
    import.import_module(module, Wanted::required);
  }
}

/// Loads by the rule of that name; what has none is an extension.
template <class Import>
FrameworkLoad load_by_rule(Import import) {
  const std::string& name = import.framework().name;
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
  } else if constexpr (std::is_same_v<Import, LinuxImport>) {
    if (name == "jax") {  // its plugin for CUDA exists for Linux only
      load_jax(import);
    } else {
      load_modules(import);
    }
  } else {
    load_modules(import);
  }
  return import.take();
}

}  // namespace

FrameworkLoad load_framework(LinuxProcess& process, const PythonPlace& python,
                             const FrameworkToLoad& framework) {
  return load_by_rule(LinuxImport(process, python, framework));
}

FrameworkLoad load_framework(WindowsProcess& process, const PythonPlace& python,
                             const FrameworkToLoad& framework) {
  return load_by_rule(WindowsImport(process, python, framework));
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "loader/linux_import.h"

#include <algorithm>

namespace plumb {
namespace {

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string_view name_of(const LinuxObject& object) {
  return object.elf != nullptr && object.elf->soname ? std::string_view(*object.elf->soname)
                                                     : base_name(object.file);
}

}  // namespace

LinuxImport::LinuxImport(LinuxProcess& process, const PythonPlace& python,
                         const FrameworkToLoad& framework)
    : FrameworkImport(process.files(), python, framework, PathKind::slashes), process_(process) {}

/// The interpreter's code, which calls dlopen() for `import`, is the program or its libpython.
std::size_t LinuxImport::importer() const {
  return find_loaded_prefix("libpython3").value_or(0);
}

std::size_t LinuxImport::ctypes() {
  if (!ctypes_) {
    ctypes_ = importer();  // where _ctypes is a part of the interpreter
    for (const std::string& folder : python_.sys_path) {
      const std::string path = finder_.extension_module(folder, "_ctypes");
      if (path.empty()) {
        continue;
      }
      LinuxOpenOptions options;
      options.caller = importer();
      if (const LinuxOpen opened = process_.open(path, options); opened.object) {
        ctypes_ = opened.object;
      }
      break;
    }
  }
  return *ctypes_;
}

bool LinuxImport::open(const std::string& name, std::size_t caller, Wanted wanted, bool global,
                       std::string asked_by) {
  LinuxOpenOptions options;
  options.caller = caller;
  options.global = global;
  const LinuxOpen opened = process_.open(name, options);
  last_object_.reset();
  if (!note(name, opened, std::move(asked_by), wanted)) {
    last_fault_ = opened.fault;
    return false;
  }
  run_constructors(opened.loaded);
  last_object_ = opened.object;  // not what a constructor asked for
  return true;
}

/// What libraries open from their constructors: some of NVIDIA's ask for the driver as they are
/// loaded (LD_DEBUG=files with CUDA 12.8 and 13.0, cuDNN 9.10).
void LinuxImport::run_constructors(const std::vector<std::size_t>& loaded) {
  for (const std::size_t index : loaded) {
    const std::string_view name = name_of(object(index));
    if (name.starts_with("libcublasLt.so.") ||
        name.starts_with("libcudnn_engines_precompiled.so.")) {
      open_by_library("libcuda.so.1", index, Wanted::optional);
    }
  }
}

bool LinuxImport::import_module(const std::string& path, Wanted wanted) {
  return open(path, importer(), wanted, false, "import");
}

bool LinuxImport::open_by_ctypes(const std::string& name, const std::string& python_file,
                                 Wanted wanted, bool global) {
  return open(name, ctypes(), wanted, global, python_file);
}

bool LinuxImport::open_by_library(const std::string& name, std::size_t caller, Wanted wanted,
                                  bool global) {
  return open(name, caller, wanted, global, object(caller).file);
}

bool LinuxImport::would_open(const std::string& name, std::size_t caller) {
  LinuxOpenOptions options;
  options.caller = caller;
  const LinuxOpen tried = process_.open(name, options);
  if (tried.object) {
    process_.undo(tried);
  }
  return tried.object.has_value();
}

std::string LinuxImport::missing_for(const std::string& path) {
  LinuxOpenOptions options;
  options.caller = importer();
  const LinuxOpen tried = process_.open(path, options);
  if (tried.object) {
    process_.undo(tried);
  }
  return tried.missing;
}

bool LinuxImport::open_first_by_library(const std::vector<std::string>& names, std::size_t caller,
                                        Wanted wanted) {
  for (const std::string& name : names) {
    if (would_open(name, caller)) {
      return open_by_library(name, caller, wanted);
    }
  }
  return !names.empty() && open_by_library(names.back(), caller, wanted);
}

bool LinuxImport::open_first_by_ctypes(const std::vector<std::string>& names,
                                       const std::string& python_file, Wanted wanted, bool global) {
  for (const std::string& name : names) {
    if (would_open(name, ctypes())) {
      return open_by_ctypes(name, python_file, wanted, global);
    }
  }
  return !names.empty() && open_by_ctypes(names.back(), python_file, wanted, global);
}

bool LinuxImport::is_loaded(const std::string& name) {
  LinuxOpenOptions options;
  options.no_load = true;
  options.caller = ctypes();
  return process_.open(name, options).object.has_value();
}

std::optional<std::size_t> LinuxImport::find_loaded(std::string_view name) const {
  const auto& objects = process_.objects();
  const auto hit = std::ranges::find_if(objects, [&](const LinuxObject& object) {
    return name_of(object) == name || std::ranges::find(object.names, name) != object.names.end();
  });
  return hit == objects.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(hit - objects.begin()));
}

std::optional<std::size_t> LinuxImport::find_file(std::string_view path) const {
  const auto& objects = process_.objects();
  const auto hit = std::ranges::find(objects, path, &LinuxObject::file);
  return hit == objects.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(hit - objects.begin()));
}

std::optional<std::size_t> LinuxImport::find_loaded_prefix(std::string_view prefix) const {
  const auto& objects = process_.objects();
  const auto hit = std::ranges::find_if(
      objects, [&](const LinuxObject& object) { return name_of(object).starts_with(prefix); });
  return hit == objects.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(hit - objects.begin()));
}

}  // namespace plumb

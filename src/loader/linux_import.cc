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
    : process_(process),
      python_(python),
      framework_(framework),
      finder_(process.files(), python, PathKind::slashes) {}

std::string LinuxImport::in_site(std::string_view relative) const {
  return finder_.join(framework_.site, relative);
}

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
  LibraryRequest request;
  request.name = name;
  request.moment = moment_;
  request.object = opened.object;
  request.optional = wanted == Wanted::optional;
  request.asked_by = std::move(asked_by);
  if (!opened.object) {
    request.fault = opened.fault;
    request.missing = opened.missing;
    request.wanted_by = opened.wanted_by;
  }
  load_.requests.push_back(std::move(request));
  if (opened.object) {
    run_constructors(opened.loaded);
    last_object_ = opened.object;
    return true;
  }
  last_object_.reset();
  last_fault_ = opened.fault;
  if (wanted == Wanted::required && moment_ == LoadMoment::import) {
    fail_import(opened.fault, opened.missing, opened.wanted_by);
  }
  return false;
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

bool LinuxImport::import_module(const std::string& folder, std::string_view name, Wanted wanted) {
  const std::string path = finder_.extension_module(in_site(folder), name);
  if (!path.empty()) {
    return import_module(path, wanted);
  }
  if (wanted == Wanted::required && moment_ == LoadMoment::import) {
    std::string dotted = folder + "." + std::string(name);
    std::ranges::replace(dotted, '/', '.');
    fail_import("No module named '" + dotted + "'", in_site(folder + "/" + std::string(name)),
                in_site(folder));
  }
  return false;
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

void LinuxImport::forget_last_request() {
  if (!load_.requests.empty()) {
    load_.requests.pop_back();
  }
}

bool LinuxImport::is_loaded(const std::string& name) {
  LinuxOpenOptions options;
  options.no_load = true;
  options.caller = ctypes();
  return process_.open(name, options).object.has_value();
}

void LinuxImport::fail_import(std::string fault, std::string missing, std::string wanted_by) {
  if (!load_.failed) {
    load_.failed = true;
    load_.fault = std::move(fault);
    load_.missing = std::move(missing);
    load_.wanted_by = std::move(wanted_by);
  }
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

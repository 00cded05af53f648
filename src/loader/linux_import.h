// SPDX-License-Identifier: Apache-2.0
#pragma once
// A framework's import on Linux as it goes on: each library that is asked for, who asks, and what
// became of it. The rules of one framework stand in NAME_loading.cc.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/framework_loading.h"
#include "loader/python_finder.h"

namespace plumb {

enum class Wanted : bool { optional, required };

class LinuxImport {
 public:
  LinuxImport(LinuxProcess& process, const PythonPlace& python, const FrameworkToLoad& framework);

  /// `import` of the extension module at `path`: RTLD_NOW, not global.
  bool import_module(const std::string& path, Wanted wanted);
  /// The same for a module of the framework's site-packages: folder "torch", name "_C". What is not
  /// there fails as Python says it.
  bool import_module(const std::string& folder, std::string_view name, Wanted wanted);

  /// ctypes.CDLL(name), called from a Python file: the extension module _ctypes calls dlopen().
  bool open_by_ctypes(const std::string& name, const std::string& python_file, Wanted wanted,
                      bool global = false);
  /// The same with the first of `names` that comes; the last one's fault if none does.
  bool open_first_by_ctypes(const std::vector<std::string>& names, const std::string& python_file,
                            Wanted wanted, bool global = false);
  /// dlopen(name) by a library that is loaded.
  bool open_by_library(const std::string& name, std::size_t caller, Wanted wanted,
                       bool global = false);
  /// The same, by the first of `names` that comes; the last one's fault if none does.
  bool open_first_by_library(const std::vector<std::string>& names, std::size_t caller,
                             Wanted wanted);
  /// Whether dlopen(name) by that library would succeed; nothing is left behind.
  bool would_open(const std::string& name, std::size_t caller);
  /// The library that would not be found if `path` were opened; "" = none. Nothing is left behind.
  std::string missing_for(const std::string& path);
  /// ctypes.CDLL(name, RTLD_NOLOAD): is it loaded already?
  bool is_loaded(const std::string& name);

  /// The latest request failed and something else was found for it.
  void forget_last_request();

  /// Import fails for another reason than a library's.
  void fail_import(std::string fault, std::string missing, std::string wanted_by);

  /// What the latest request led to.
  [[nodiscard]] std::optional<std::size_t> last_object() const { return last_object_; }
  [[nodiscard]] std::optional<std::size_t> find_loaded(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find_file(std::string_view path) const;
  /// The first loaded library whose SONAME (or, without one, file name) starts with `prefix`.
  [[nodiscard]] std::optional<std::size_t> find_loaded_prefix(std::string_view prefix) const;
  [[nodiscard]] const LinuxObject& object(std::size_t index) const {
    return process_.objects()[index];
  }
  /// A path below the framework's site-packages.
  [[nodiscard]] std::string in_site(std::string_view relative) const;

  void first_use() { moment_ = LoadMoment::first_use; }
  [[nodiscard]] bool failed() const { return load_.failed; }
  [[nodiscard]] const std::string& last_fault() const { return last_fault_; }
  [[nodiscard]] PythonFinder& finder() { return finder_; }
  [[nodiscard]] FileView& files() { return process_.files(); }
  [[nodiscard]] const PythonPlace& python() const { return python_; }
  [[nodiscard]] const FrameworkToLoad& framework() const { return framework_; }
  [[nodiscard]] FrameworkLoad take() { return std::move(load_); }

 private:
  bool open(const std::string& name, std::size_t caller, Wanted wanted, bool global,
            std::string asked_by);
  void run_constructors(const std::vector<std::size_t>& loaded);
  std::size_t importer() const;
  std::size_t ctypes();

  LinuxProcess& process_;
  const PythonPlace& python_;
  const FrameworkToLoad& framework_;
  PythonFinder finder_;
  FrameworkLoad load_;
  LoadMoment moment_ = LoadMoment::import;
  std::string last_fault_;
  std::optional<std::size_t> last_object_;
  std::optional<std::size_t> ctypes_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A framework's import on Linux: dlopen() by the interpreter, by ctypes, by libraries. The rules of
// one framework stand in NAME_loading.cc.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/framework_import.h"

namespace plumb {

class LinuxImport final : public FrameworkImport {
 public:
  LinuxImport(LinuxProcess& process, const PythonPlace& python, const FrameworkToLoad& framework);

  using FrameworkImport::import_module;
  /// RTLD_NOW, not global.
  bool import_module(const std::string& path, Wanted wanted) override;

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

  /// What the latest request led to.
  [[nodiscard]] std::optional<std::size_t> last_object() const { return last_object_; }
  [[nodiscard]] std::optional<std::size_t> find_loaded(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find_file(std::string_view path) const;
  /// The first loaded library whose SONAME (or, without one, file name) starts with `prefix`.
  [[nodiscard]] std::optional<std::size_t> find_loaded_prefix(std::string_view prefix) const;
  [[nodiscard]] const LinuxObject& object(std::size_t index) const {
    return process_.objects()[index];
  }
  [[nodiscard]] const std::string& last_fault() const { return last_fault_; }
  [[nodiscard]] FileView& files() { return process_.files(); }

 private:
  bool open(const std::string& name, std::size_t caller, Wanted wanted, bool global,
            std::string asked_by);
  void run_constructors(const std::vector<std::size_t>& loaded);
  std::size_t importer() const;
  std::size_t ctypes();

  LinuxProcess& process_;
  std::string last_fault_;
  std::optional<std::size_t> last_object_;
  std::optional<std::size_t> ctypes_;
};

}  // namespace plumb

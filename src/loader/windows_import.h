// SPDX-License-Identifier: Apache-2.0
#pragma once
// A framework's import on Windows as it goes on: as LinuxImport, with LoadLibraryExW.
//
// Source: CPython's Python/dynload_win.c and Modules/_ctypes (3.8 and newer): an extension module
// is loaded by its full path with the flags 0x1100, ctypes.CDLL("x.dll") with 0x1000, with a folder
// in the name 0x1100. PATH counts in neither. Before 3.8 both search PATH.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/framework_loading.h"
#include "loader/linux_import.h"
#include "loader/python_finder.h"

namespace plumb {

class WindowsImport {
 public:
  WindowsImport(WindowsProcess& process, const PythonPlace& python,
                const FrameworkToLoad& framework);

  bool import_module(const std::string& path, Wanted wanted);
  bool import_module(const std::string& folder, std::string_view name, Wanted wanted);
  bool open_by_ctypes(const std::string& name, const std::string& python_file, Wanted wanted);
  /// The library that is not found if `path` is loaded; "" = none. What came stays loaded.
  std::string missing_for(const std::string& path);
  /// LoadLibraryExW(name, flags) by whatever `asked_by` says.
  bool open(const std::string& name, std::uint32_t flags, const std::string& asked_by,
            Wanted wanted);
  /// The same by a module of the process, in the process's default way: with PATH.
  bool open_by_library(const std::string& name, std::size_t caller, Wanted wanted);

  /// os.add_dll_directory(); raises in Python where there is no such folder, here nothing happens.
  void add_folder(const std::string& folder);
  /// os.environ["PATH"] = folders + PATH.
  void put_before_path(const std::vector<std::string>& folders);

  void fail_import(std::string fault, std::string missing, std::string wanted_by);
  /// The latest request failed and something else is tried for it.
  void forget_last_request();
  /// The latest request failed, and `import` with it.
  void fail_by_last_request();

  [[nodiscard]] std::optional<std::size_t> find_loaded(std::string_view name) const {
    return process_.find_loaded(name);
  }
  [[nodiscard]] const WindowsObject& object(std::size_t index) const {
    return process_.objects()[index];
  }
  [[nodiscard]] std::string in_site(std::string_view relative) const;
  void first_use() { moment_ = LoadMoment::first_use; }
  [[nodiscard]] bool failed() const { return load_.failed; }
  [[nodiscard]] std::uint32_t last_error() const { return last_error_; }
  [[nodiscard]] PythonFinder& finder() { return finder_; }
  [[nodiscard]] FileView& files() { return process_.files(); }
  [[nodiscard]] const PythonPlace& python() const { return python_; }
  [[nodiscard]] const FrameworkToLoad& framework() const { return framework_; }
  [[nodiscard]] FrameworkLoad take() { return std::move(load_); }

 private:
  bool note(const std::string& name, const WindowsLoad& loaded, std::string asked_by,
            Wanted wanted);
  [[nodiscard]] bool searches_path() const;

  WindowsProcess& process_;
  const PythonPlace& python_;
  const FrameworkToLoad& framework_;
  PythonFinder finder_;
  FrameworkLoad load_;
  LoadMoment moment_ = LoadMoment::import;
  std::uint32_t last_error_ = 0;
};

}  // namespace plumb

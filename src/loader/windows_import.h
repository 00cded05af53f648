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

#include "loader/framework_import.h"
#include "loader/framework_loading.h"

namespace plumb {

class WindowsImport final : public FrameworkImport {
 public:
  WindowsImport(WindowsProcess& process, const PythonPlace& python,
                const FrameworkToLoad& framework);

  using FrameworkImport::import_module;
  bool import_module(const std::string& path, Wanted wanted) override;
  bool open_by_ctypes(const std::string& name, const std::string& python_file, Wanted wanted);
  /// The library that is not found if `path` is loaded; "" = none. What came stays loaded.
  std::string missing_for(const std::string& path);
  /// LoadLibraryExW(name, flags) by whatever `asked_by` says.
  bool open(const std::string& name, std::uint32_t flags, const std::string& asked_by,
            Wanted wanted);
  /// The same by a module of the process, in the process's default way: with PATH.
  bool open_by_library(const std::string& name, std::size_t caller, Wanted wanted);

  /// What PyTorch and Paddle do with the DLLs that they bring: each by its path; what one of them
  /// needs and lacks is looked for along PATH as well, with `folders` before it.
  void open_each(const std::vector<std::string>& dlls, const std::vector<std::string>& folders,
                 const std::string& python_file);

  /// os.add_dll_directory(); raises in Python where there is no such folder, here nothing happens.
  void add_folder(const std::string& folder);
  /// os.environ["PATH"] = folders + PATH.
  void put_before_path(const std::vector<std::string>& folders);

  [[nodiscard]] std::optional<std::size_t> find_loaded(std::string_view name) const {
    return process_.find_loaded(name);
  }
  [[nodiscard]] const WindowsObject& object(std::size_t index) const {
    return process_.objects()[index];
  }
  [[nodiscard]] std::uint32_t last_error() const { return last_error_; }
  [[nodiscard]] FileView& files() { return process_.files(); }

 private:
  /// The latest request failed, and `import` with it.
  void fail_by_last_request();
  bool note_load(const std::string& name, const WindowsLoad& loaded, const std::string& asked_by,
                 Wanted wanted);
  [[nodiscard]] bool searches_path() const;

  WindowsProcess& process_;
  std::uint32_t last_error_ = 0;
};

}  // namespace plumb

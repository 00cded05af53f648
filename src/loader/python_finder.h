// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where Python finds modules and packages along sys.path, on either system.
//
// Source: CPython's importlib._bootstrap_external (PathFinder, FileFinder), PEP 420.

#include <string>
#include <string_view>
#include <vector>

#include "loader/file_view.h"
#include "loader/framework_loading.h"

namespace plumb {

enum class PathKind : char { slashes = '/', backslashes = '\\' };

class PythonFinder {
 public:
  PythonFinder(FileView& files, const PythonPlace& python, PathKind kind)
      : files_(files), python_(python), kind_(kind) {}

  [[nodiscard]] std::string join(std::string_view folder, std::string_view name) const;
  [[nodiscard]] bool is_file(const std::string& path) const;
  [[nodiscard]] bool is_folder(const std::string& path) const;

  /// `__path__` of a package ("nvidia.cu13"): one folder, or the portions of a namespace package in
  /// sys.path's order; empty if it cannot be imported.
  [[nodiscard]] std::vector<std::string> package_folders(std::string_view dotted_name) const;

  /// The file that `import name` opens in that folder ("_C" ->
  /// "_C.cpython-312-x86_64-linux-gnu.so",
  /// "_C.cp312-win_amd64.pyd"); "" if there is none for this Python.
  [[nodiscard]] std::string extension_module(const std::string& folder,
                                             std::string_view name) const;
  /// All of a folder's extension modules for this Python, as paths, sorted by name.
  [[nodiscard]] std::vector<std::string> extension_modules(const std::string& folder) const;

  /// Paths in `folder` whose name starts with `prefix` and ends with `suffix`, sorted.
  [[nodiscard]] std::vector<std::string> starting_with(const std::string& folder,
                                                       std::string_view prefix,
                                                       std::string_view suffix = {}) const;

  /// site.getsitepackages() and the user's: those of sys.path's folders that belong to the
  /// environment or its base. Folders that .pth files add are none of them.
  [[nodiscard]] std::vector<std::string> own_site_folders() const;

  [[nodiscard]] const std::vector<std::string>& sys_path() const { return python_.sys_path; }
  /// "" if the variable is not set.
  [[nodiscard]] std::string variable(const std::string& name) const;

 private:
  /// True for "_C.cpython-312-x86_64-linux-gnu.so", "_C.abi3.so", "_C.so", "_C.pyd" ...
  [[nodiscard]] bool has_module_suffix(std::string_view file_name) const;

  FileView& files_;
  const PythonPlace& python_;
  PathKind kind_;
};

}  // namespace plumb

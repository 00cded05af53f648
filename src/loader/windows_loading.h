// SPDX-License-Identifier: Apache-2.0
#pragma once
// One LoadLibraryExW call of the replay. Internal to windows_process.cc and windows_loading.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loader/windows_process.h"

namespace plumb {

/// Flags that take PATH and the current folder out of the search.
inline constexpr std::uint32_t kSearchFlags = kLoadSearchDllLoadDir | kLoadSearchApplicationDir |
                                              kLoadSearchUserDirs | kLoadSearchSystem32 |
                                              kLoadSearchDefaultDirs;

/// As LoadLibrary and the import table have it: ".dll" is added where there is no extension; a dot
/// at the end says that there is none, and goes.
[[nodiscard]] std::string with_dll_extension(std::string_view name);

/// What a name leads to: an object that is there, a file to open, or nothing.
struct WindowsProcess::Found {
  std::optional<std::size_t> object;
  std::string file;
  LoadRule rule = LoadRule::system_folder;
  std::string detail;
  std::string provided;  // the name of a module of Windows that has no file here
  std::uint32_t error = 0;
  std::string why;  // beside the error's own words
};

/// One LoadLibraryExW call (or the start of the program) with all that it brings.
class WindowsProcess::Loading {
 public:
  Loading(WindowsProcess& process, std::uint32_t flags, const std::string& folder, LoadMode mode);

  void look_through(std::uint32_t flags, const std::string& folder);

  /// A bare name. `asker` imports it, or calls LoadLibrary (`dynamic`).
  Found find(const std::string& asked, std::optional<std::size_t> asker, bool dynamic);

  /// A redirected name is, even where a path was asked for.
  std::optional<Found> find_redirected(const std::string& name);

  /// Through the folders, for a bare name or a relative path.
  Found search(const std::string& name);

  /// The object of what was found, a new one if need be.
  std::optional<std::size_t> open(Found& found, std::optional<std::size_t> needed_by,
                                  std::optional<std::size_t> opened_by);

  /// What the new objects import, to the end. False: something is missing and the mode is strict.
  bool resolve();

  void note_failure(const Found& found, const std::string& name, const std::string& wanted_by);

  WindowsLoad fail();

  WindowsLoad succeed(std::size_t object);

 private:
  static std::string words(const Found& found, const std::string& name);

  bool read(WindowsObject& object, Found& found);

  /// Hosts are System32's, whatever lies beside the program: that is why a program's own copy of
  /// ucrtbase.dll is not used on Windows 10.
  Found find_behind_api_set(const std::string& name, const std::string& host);

  /// The importing DLL's own manifest counts for what it imports, the program's for everything.
  std::optional<Found> find_assembly(const std::string& name, std::optional<std::size_t> asker,
                                     bool dynamic);

  WindowsProcess& process_;
  LoadMode mode_;
  std::size_t first_;
  std::vector<WindowsPlace> places_;  // those that are folders
  WindowsLoad result_;
};

}  // namespace plumb

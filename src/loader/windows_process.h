// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Windows process's modules, as the loader (LoadLibraryExW and imports) would choose them: from
// files alone, nothing is run.
//
// Sources: Microsoft's "Dynamic-link library search order", LoadLibraryExW, AddDllDirectory, "API
// sets"; measured against Wine's loader (tools/compare_loader_windows.py), which differs where that
// tool says so.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader/file_view.h"
#include "loader/linux_process.h"
#include "loader/load_rule.h"

namespace plumb {

/// LoadLibraryExW's flags.
inline constexpr std::uint32_t kLoadAlteredSearchPath = 0x8, kLoadSearchDllLoadDir = 0x100,
                               kLoadSearchApplicationDir = 0x200, kLoadSearchUserDirs = 0x400,
                               kLoadSearchSystem32 = 0x800, kLoadSearchDefaultDirs = 0x1000;

/// GetLastError() after a load that failed.
inline constexpr std::uint32_t kErrorModuleNotFound = 126, kErrorProcedureNotFound = 127,
                               kErrorBadExeFormat = 193;

struct WindowsSettings {
  std::string machine = "x86_64";
  std::string windows_folder = "C:\\Windows";
  std::string system_folder = "C:\\Windows\\System32";
  std::string current_folder;
  std::vector<std::string> path;        // PATH's elements, quotes taken off
  std::vector<std::string> known_dlls;  // base names; with what they import
  bool safe_search = true;              // SafeDllSearchMode
};

struct WindowsNeed {
  std::string name;                   // as the import table has it
  bool delayed = false;               // a delay import: looked up at its first call, if ever
  std::optional<std::size_t> object;  // what it led to
  LoadRule rule = LoadRule::system_folder;
  std::string detail;
  std::string fault;  // why it led to nothing
};

struct WindowsObject {
  std::string file;            // full path; "" for an API set without a host of its own
  std::string identity;        // FileView's
  std::string name;            // base name, lower case: what the loaded-module rule compares
  const PeFile* pe = nullptr;  // null for an API set
  std::optional<std::size_t> needed_by;
  std::optional<std::size_t> opened_by;
  LoadRule rule = LoadRule::program;
  std::string detail;
  std::vector<WindowsNeed> needs;  // imports in file order, then delay imports
};

struct WindowsLoad {
  std::optional<std::size_t> object;  // empty: it failed and left nothing behind
  std::vector<std::size_t> loaded;    // objects that are new
  std::uint32_t error = 0;            // GetLastError()
  std::string fault;
  std::string missing;    // the name that led to nothing
  std::string wanted_by;  // the file that asked for it
};

/// One folder in the order in which a bare name is looked for.
struct WindowsPlace {
  LoadRule rule = LoadRule::system_folder;
  std::string folder;
  std::string detail;
};

class WindowsProcess {
 public:
  WindowsProcess(FileView& files, WindowsSettings settings);

  /// Starts the .exe. Call once, first; objects()[0] is it.
  WindowsLoad start(const std::string& program, LoadMode mode);

  /// Instead of start(), where the program cannot be read: one at that path that needs nothing.
  void start_unknown(const std::string& program);

  /// LoadLibraryExW(name, flags). What it imports is searched with the same flags.
  WindowsLoad load(const std::string& name, std::uint32_t flags, LoadMode mode = LoadMode::strict,
                   std::size_t caller = 0);

  /// Takes back a load() whose procedures turned out to be missing.
  void undo(const WindowsLoad& loaded);

  void add_folder(const std::string& folder);  // AddDllDirectory
  void set_folder(const std::string& folder);  // SetDllDirectoryW; "" takes it away again
  /// A change of PATH by the process itself, which the loader sees at once.
  void set_path(std::vector<std::string> path);

  [[nodiscard]] const std::vector<WindowsObject>& objects() const { return objects_; }
  /// Where a bare name is looked for under these flags, in order; `folder` is that of the DLL that
  /// was loaded by its path.
  [[nodiscard]] std::vector<WindowsPlace> places(std::uint32_t flags,
                                                 const std::string& folder) const;
  [[nodiscard]] const WindowsSettings& settings() const { return settings_; }
  [[nodiscard]] FileView& files() const { return files_; }

 private:
  FileView& files_;
  WindowsSettings settings_;
  std::vector<WindowsObject> objects_;
  std::vector<std::string> added_;
  std::string set_folder_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Windows process's modules, as the loader (LoadLibraryExW and imports) would choose them: from
// files alone, nothing is run.
//
// Sources: Microsoft's "Dynamic-link library search order", LoadLibraryExW, AddDllDirectory, "API
// sets"; measured against Wine's loader (tools/compare_loader_windows.py), which differs where that
// tool says so.
//
// Names match whatever their case, of ASCII letters only: other letters are compared as they are
// (FileView knows better of its own files).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/api_set.h"
#include "loader/file_view.h"
#include "loader/linux_process.h"
#include "loader/load_rule.h"
#include "loader/side_by_side.h"

namespace plumb {

/// LoadLibraryExW's flags.
inline constexpr std::uint32_t kLoadAlteredSearchPath = 0x8, kLoadSearchDllLoadDir = 0x100,
                               kLoadSearchApplicationDir = 0x200, kLoadSearchUserDirs = 0x400,
                               kLoadSearchSystem32 = 0x800, kLoadSearchDefaultDirs = 0x1000;

/// GetLastError() after a load that failed.
inline constexpr std::uint32_t kErrorModuleNotFound = 126, kErrorProcedureNotFound = 127,
                               kErrorBadExeFormat = 193, kErrorAccessDenied = 5,
                               kErrorNotEnoughMemory = 8, kErrorInvalidParameter = 87,
                               kErrorSideBySide = 14001;

/// Names of System32 that programs commonly import and that every Windows 10 has.
[[nodiscard]] std::vector<std::string> usual_system_dlls();

struct WindowsSettings {
  std::string machine = "x86_64";
  std::string windows_folder = "C:\\Windows";
  std::string system_folder = "C:\\Windows\\System32";
  std::string current_folder;
  std::vector<std::string> path;        // PATH's elements, quotes taken off
  std::vector<std::string> known_dlls;  // base names; with what they import
  bool safe_search = true;              // SafeDllSearchMode
  /// DLL redirection (app.exe.local) works only where DevOverrideEnable is set among the registry's
  /// Image File Execution Options.
  bool local_redirection = false;
  /// What Windows brings, in lower case, where `files` has no System32 to look into; besides the
  /// known DLLs. Such a module has no file.
  std::vector<std::string> provided = usual_system_dlls();
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
  std::string file;            // full path; "" for what Windows brings where no file is at hand
  std::string identity;        // FileView's
  std::string name;            // base name, lower case: what the loaded-module rule compares
  const PeFile* pe = nullptr;  // null where `file` is ""
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
  /// The object that a bare name leads to while it is loaded, API sets included.
  [[nodiscard]] std::optional<std::size_t> find_loaded(std::string_view name) const;
  /// The DLL behind an API set for one importer; empty if the name is none that `files` knows, ""
  /// if nothing stands behind it here.
  [[nodiscard]] std::optional<std::string> host_of_api_set(std::string_view name,
                                                           std::string_view importer) const;
  /// System32 is there to be looked into.
  [[nodiscard]] bool has_system() const { return has_system_; }
  /// Its table of API sets could be read. Without it every name of an API set is taken to be there.
  [[nodiscard]] bool knows_api_sets() const { return api_sets_.has_value(); }

 private:
  struct Found;
  class Loading;

  [[nodiscard]] bool is_known_dll(const std::string& name);
  [[nodiscard]] bool is_folder(const std::string& path);
  void forget_from(std::size_t first);
  void keep(WindowsObject object);

  FileView& files_;
  WindowsSettings settings_;
  std::vector<WindowsObject> objects_;
  std::vector<std::string> added_;
  std::string set_folder_;
  bool has_system_ = false;
  std::optional<ApiSets> api_sets_;
  std::optional<std::set<std::string, std::less<>>> known_dlls_;  // with what they import
  SideBySide side_by_side_;
  std::map<std::string, bool> folder_exists_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // first loaded wins
  std::map<std::string, std::size_t, std::less<>> by_identity_;
};

}  // namespace plumb

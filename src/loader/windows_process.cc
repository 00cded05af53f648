// SPDX-License-Identifier: Apache-2.0
// Windows' loader works on names before it works on files. A bare name is, in this order:
// redirected (app.exe.local), an API set, a side-by-side assembly's, that of a module which is
// loaded already (its folder does not matter), a known DLL; only what is left is searched, through
// folders that depend on the flags of the one LoadLibraryExW call that began it all. A path is
// opened as it is, and a file that is loaded already is not loaded again.
//
// Imports are taken breadth first. Within one call all of them are looked for in the same folders,
// so the order decides nothing but how the list reads.
#include "loader/windows_process.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

// A large process (an office suite with all its add-ins) has some 500 modules.
constexpr std::size_t kMaxModules = 4096;
constexpr std::size_t kMaxKnownDlls = 4096;
constexpr std::uint32_t kSearchFlags = kLoadSearchDllLoadDir | kLoadSearchApplicationDir |
                                       kLoadSearchUserDirs | kLoadSearchSystem32 |
                                       kLoadSearchDefaultDirs;

/// As LoadLibrary and the import table have it: ".dll" is added where there is no extension; a dot
/// at the end says that there is none, and goes.
std::string with_extension(std::string_view name) {
  std::string text(name);
  text.erase(text.find_last_not_of(' ') + 1);
  if (windows_base_name(text).find('.') == std::string_view::npos) {
    return text + ".dll";
  }
  text.erase(text.find_last_not_of('.') + 1);
  return text;
}

std::string unquoted(std::string folder) {
  std::erase(folder, '"');
  return folder;
}

std::uint32_t error_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
    case ErrorCode::loop:
      return kErrorModuleNotFound;
    case ErrorCode::no_permission:
    case ErrorCode::special_file:
    case ErrorCode::io:
      return kErrorAccessDenied;
    default:
      return kErrorBadExeFormat;
  }
}

std::string words_of(std::uint32_t error) {
  switch (error) {
    case kErrorModuleNotFound:
      return "the specified module could not be found";
    case kErrorBadExeFormat:
      return "not a valid Win32 application";
    case kErrorAccessDenied:
      return "access is denied";
    case kErrorSideBySide:
      return "its side-by-side configuration is incorrect";
    case kErrorInvalidParameter:
      return "the parameter is incorrect";
    default:
      return "not enough memory";
  }
}

}  // namespace

std::vector<std::string> usual_system_dlls() {
  return {"advapi32.dll", "avrt.dll",       "bcrypt.dll",   "bcryptprimitives.dll",
          "cabinet.dll",  "cfgmgr32.dll",   "combase.dll",  "comctl32.dll",
          "comdlg32.dll", "credui.dll",     "crypt32.dll",  "cryptbase.dll",
          "d2d1.dll",     "d3d11.dll",      "d3d12.dll",    "d3d9.dll",
          "dbghelp.dll",  "dnsapi.dll",     "dwmapi.dll",   "dwrite.dll",
          "dxgi.dll",     "gdi32.dll",      "gdiplus.dll",  "glu32.dll",
          "hid.dll",      "imagehlp.dll",   "imm32.dll",    "iphlpapi.dll",
          "kernel32.dll", "kernelbase.dll", "mf.dll",       "mfplat.dll",
          "mpr.dll",      "msacm32.dll",    "msimg32.dll",  "msvcrt.dll",
          "mswsock.dll",  "ncrypt.dll",     "netapi32.dll", "ntdll.dll",
          "ole32.dll",    "oleacc.dll",     "oleaut32.dll", "opengl32.dll",
          "pdh.dll",      "powrprof.dll",   "propsys.dll",  "psapi.dll",
          "rpcrt4.dll",   "secur32.dll",    "setupapi.dll", "shcore.dll",
          "shell32.dll",  "shlwapi.dll",    "sspicli.dll",  "ucrtbase.dll",
          "user32.dll",   "userenv.dll",    "usp10.dll",    "uxtheme.dll",
          "version.dll",  "wevtapi.dll",    "winhttp.dll",  "wininet.dll",
          "winmm.dll",    "winspool.drv",   "wintrust.dll", "wldap32.dll",
          "ws2_32.dll",   "wsock32.dll",    "wtsapi32.dll", "xinput1_4.dll"};
}

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
  Loading(WindowsProcess& process, std::uint32_t flags, const std::string& folder, LoadMode mode)
      : process_(process), mode_(mode), first_(process.objects_.size()) {
    look_through(flags, folder);
  }

  void look_through(std::uint32_t flags, const std::string& folder) {
    places_.clear();
    for (WindowsPlace& place : process_.places(flags, folder)) {
      if (process_.is_folder(place.folder)) {
        places_.push_back(std::move(place));
      }
    }
  }

  /// A bare name. `asker` imports it, or calls LoadLibrary (`dynamic`).
  Found find(const std::string& asked, std::optional<std::size_t> asker, bool dynamic) {
    std::string name = with_extension(asked);
    if (std::optional<Found> redirected = find_redirected(name)) {
      return *std::move(redirected);
    }
    Found found;
    const auto host = process_.host_of_api_set(
        name, asker ? std::string_view(process_.objects_[*asker].name) : std::string_view());
    if (host) {
      return find_behind_api_set(name, *host);
    }
    if (is_api_set_name(name) && !process_.knows_api_sets()) {
      // Windows 7 has files of these names, later ones have none, and none of the program's counts.
      found.rule = LoadRule::api_set;
      found.object = process_.find_loaded(name);
      found.file = join_windows_path(process_.settings_.system_folder, name);
      if (process_.files_.entry(found.file).kind != EntryKind::file) {
        found.file.clear();
        found.provided = to_lower_ascii(name);
      }
      return found;
    }
    if (std::optional<Found> assembly = find_assembly(name, asker, dynamic)) {
      return *std::move(assembly);
    }
    if ((found.object = process_.find_loaded(name))) {
      found.rule = LoadRule::already_loaded;
      return found;
    }
    if (process_.is_known_dll(to_lower_ascii(name))) {
      found.rule = LoadRule::known_dll;
      if (!process_.has_system_) {
        found.provided = to_lower_ascii(name);
        return found;
      }
      found.file = join_windows_path(process_.settings_.system_folder, name);
      if (process_.files_.entry(found.file).kind == EntryKind::file) {
        return found;
      }
    }
    return search(name);
  }

  /// A redirected name is, even where a path was asked for.
  std::optional<Found> find_redirected(const std::string& name) {
    if (!process_.settings_.local_redirection || process_.objects_.empty() ||
        process_.is_known_dll(to_lower_ascii(name))) {
      return std::nullopt;
    }
    const std::string& program = process_.objects_.front().file;
    const std::string local = program + ".local";
    const EntryKind kind = process_.files_.entry(local).kind;
    if (kind == EntryKind::none) {
      return std::nullopt;
    }
    Found found;
    found.rule = LoadRule::redirection;
    found.detail = local;
    found.file =
        join_windows_path(kind == EntryKind::folder ? local : windows_folder_of(program), name);
    if (process_.files_.entry(found.file).kind != EntryKind::file) {
      return std::nullopt;
    }
    return found;
  }

  /// Through the folders, for a bare name or a relative path.
  Found search(const std::string& name) {
    Found found;
    for (const WindowsPlace& place : places_) {
      std::string file = join_windows_path(place.folder, name);
      const EntryKind kind = process_.files_.entry(file).kind;
      if (kind != EntryKind::none && kind != EntryKind::loop) {
        found.error = kind == EntryKind::folder ? kErrorAccessDenied : 0;  // the search ends there
        found.file = std::move(file);
        found.rule = place.rule;
        found.detail = place.detail;
        return found;
      }
    }
    const std::string key = to_lower_ascii(name);
    if (!process_.has_system_ &&
        std::ranges::find(process_.settings_.provided, key) != process_.settings_.provided.end()) {
      found.rule = LoadRule::system_folder;
      found.provided = key;
      return found;
    }
    found.error = kErrorModuleNotFound;
    return found;
  }

  /// The object of what was found, a new one if need be.
  std::optional<std::size_t> open(Found& found, std::optional<std::size_t> needed_by,
                                  std::optional<std::size_t> opened_by) {
    if (found.object || found.error != 0) {
      return found.object;
    }
    if (process_.objects_.size() >= kMaxModules) {
      found.error = kErrorNotEnoughMemory;
      found.why = "more than " + std::to_string(kMaxModules) + " modules";
      return std::nullopt;
    }
    WindowsObject object;
    object.needed_by = needed_by;
    object.opened_by = opened_by;
    object.rule = found.rule;
    object.detail = found.detail;
    if (!found.provided.empty()) {
      object.name = found.provided;
    } else {
      object.file = full_windows_path(found.file, process_.settings_.current_folder);
      const FileEntry entry = process_.files_.entry(object.file);
      object.identity = entry.identity.empty() ? to_lower_ascii(object.file) : entry.identity;
      if (const auto same = process_.by_identity_.find(object.identity);
          same != process_.by_identity_.end()) {
        found.object = same->second;
        found.rule = LoadRule::already_loaded;
        return found.object;
      }
      object.name = to_lower_ascii(windows_base_name(object.file));
      if (!read(object, found)) {
        return std::nullopt;
      }
    }
    found.object = process_.objects_.size();
    process_.keep(std::move(object));
    return found.object;
  }

  /// What the new objects import, to the end. False: something is missing and the mode is strict.
  bool resolve() {
    for (std::size_t i = first_; i < process_.objects_.size(); ++i) {
      for (std::size_t n = 0; n < process_.objects_[i].needs.size(); ++n) {
        if (process_.objects_[i].needs[n].delayed) {
          continue;
        }
        Found found = find(process_.objects_[i].needs[n].name, i, /*dynamic=*/false);
        open(found, i, std::nullopt);
        WindowsNeed& need = process_.objects_[i].needs[n];
        need.object = found.object;
        need.rule = found.rule;
        need.detail = found.detail;
        if (!found.object) {
          need.fault = words(found, need.name);
          if (mode_ == LoadMode::strict) {
            note_failure(found, need.name, process_.objects_[i].file);
            return false;
          }
        }
      }
    }
    return true;
  }

  void note_failure(const Found& found, const std::string& name, const std::string& wanted_by) {
    result_.error = found.error;
    result_.fault = words(found, name);
    result_.missing = name;
    result_.wanted_by = wanted_by;
  }

  WindowsLoad fail() {
    process_.forget_from(first_);
    result_.object.reset();
    return std::move(result_);
  }

  WindowsLoad succeed(std::size_t object) {
    result_.object = object;
    for (std::size_t i = first_; i < process_.objects_.size(); ++i) {
      result_.loaded.push_back(i);
    }
    return std::move(result_);
  }

 private:
  static std::string words(const Found& found, const std::string& name) {
    std::string text = (found.file.empty() ? name : found.file) + ": " + words_of(found.error);
    if (!found.why.empty()) {
      text += " (" + found.why + ")";
    }
    return text;
  }

  bool read(WindowsObject& object, Found& found) {
    const auto pe = process_.files_.pe(object.file);
    if (!pe) {
      found.error = error_of(pe.error());
      found.why = found.error == kErrorModuleNotFound ? "" : pe.error().what;
      return false;
    }
    object.pe = *pe;
    if (object.pe->machine != process_.settings_.machine) {
      found.error = kErrorBadExeFormat;
      found.why =
          "it is for " + object.pe->machine + ", the process is " + process_.settings_.machine;
      return false;
    }
    // Windows maps all sections or none.
    const auto cut = std::ranges::find(object.pe->faults, ErrorCode::truncated, &Error::code);
    if (cut != object.pe->faults.end()) {
      found.error = kErrorBadExeFormat;
      found.why = cut->what;
      return false;
    }
    if (!object.pe->manifest.empty()) {
      const auto missing = process_.side_by_side_.missing(
          process_.files_, object.pe->manifest, windows_folder_of(object.file),
          process_.settings_.windows_folder, process_.settings_.machine);
      if (missing) {
        found.error = kErrorSideBySide;
        found.why = "the assembly " + *missing + " is not there";
        return false;
      }
    }
    for (const std::string& name : object.pe->imports) {
      object.needs.emplace_back().name = name;
    }
    for (const std::string& name : object.pe->delay_imports) {
      object.needs.emplace_back().name = name;
      object.needs.back().delayed = true;
    }
    return true;
  }

  /// Hosts are System32's, whatever lies beside the program: that is why a program's own copy of
  /// ucrtbase.dll is not used on Windows 10.
  Found find_behind_api_set(const std::string& name, const std::string& host) {
    Found found;
    found.rule = LoadRule::api_set;
    found.detail = name + " is " + host;
    if (host.empty()) {
      found.error = kErrorModuleNotFound;
      found.why = "this Windows has nothing behind the API set";
      return found;
    }
    found.object = process_.find_loaded(host);
    found.file = join_windows_path(process_.settings_.system_folder, host);
    return found;
  }

  /// The importing DLL's own manifest counts for what it imports, the program's for everything.
  std::optional<Found> find_assembly(const std::string& name, std::optional<std::size_t> asker,
                                     bool dynamic) {
    std::vector<std::size_t> carriers;
    if (asker && !dynamic) {
      carriers.push_back(*asker);
    }
    if (!process_.objects_.empty() && carriers != std::vector<std::size_t>{0}) {
      carriers.push_back(0);
    }
    for (const std::size_t carrier : carriers) {
      const WindowsObject& object = process_.objects_[carrier];
      if (object.pe == nullptr || object.pe->manifest.empty()) {
        continue;
      }
      auto file = process_.side_by_side_.find(
          process_.files_, object.pe->manifest, windows_folder_of(object.file),
          process_.settings_.windows_folder, process_.settings_.machine, to_lower_ascii(name));
      if (file) {
        Found found;
        found.rule = LoadRule::manifest;
        found.detail = "the manifest of " + object.file;
        found.file = *std::move(file);
        return found;
      }
    }
    return std::nullopt;
  }

  WindowsProcess& process_;
  LoadMode mode_;
  std::size_t first_;
  std::vector<WindowsPlace> places_;  // those that are folders
  WindowsLoad result_;
};

WindowsProcess::WindowsProcess(FileView& files, WindowsSettings settings)
    : files_(files), settings_(std::move(settings)) {
  for (std::string& folder : settings_.path) {
    folder = unquoted(std::move(folder));
  }
  has_system_ = files_.entry(join_windows_path(settings_.system_folder, "kernel32.dll")).kind ==
                EntryKind::file;
  const std::string schema = join_windows_path(settings_.system_folder, "apisetschema.dll");
  if (files_.entry(schema).kind == EntryKind::file) {
    const auto pe = files_.pe(schema);
    const auto source = files_.open(schema);
    if (pe && source) {
      if (auto sets = read_api_sets(**source, **pe)) {
        api_sets_ = *std::move(sets);
      }
    }
  }
}

WindowsLoad WindowsProcess::start(const std::string& program, LoadMode mode) {
  Found found;
  found.rule = LoadRule::program;
  found.file = full_windows_path(program, settings_.current_folder);
  Loading loading(*this, 0, "", mode);
  if (!loading.open(found, std::nullopt, std::nullopt)) {
    loading.note_failure(found, program, "");
    return loading.fail();
  }
  loading.look_through(0, "");  // only now the application's folder is known
  return loading.resolve() ? loading.succeed(0) : loading.fail();
}

void WindowsProcess::start_unknown(const std::string& program) {
  static const PeFile kNothing;
  WindowsObject object;
  object.pe = &kNothing;
  object.file = full_windows_path(program, settings_.current_folder);
  object.identity = files_.entry(object.file).identity;
  if (object.identity.empty()) {
    object.identity = to_lower_ascii(object.file);
  }
  object.name = to_lower_ascii(windows_base_name(object.file));
  keep(std::move(object));
}

WindowsLoad WindowsProcess::load(const std::string& name, std::uint32_t flags, LoadMode mode,
                                 std::size_t caller) {
  const std::string asked = with_extension(name);
  const bool full = is_full_windows_path(asked);
  const std::string file = full_windows_path(asked, settings_.current_folder);
  Loading loading(*this, flags, full ? windows_folder_of(file) : "", mode);
  Found found;
  if (((flags & kLoadAlteredSearchPath) != 0 && (flags & kSearchFlags) != 0) ||
      ((flags & kLoadSearchDllLoadDir) != 0 && !full)) {
    found.error = kErrorInvalidParameter;
  } else if (name.find_first_not_of(" .") == std::string::npos) {
    found.error = kErrorModuleNotFound;
  } else if (!has_windows_folder(asked)) {
    found = loading.find(name, caller, /*dynamic=*/true);
  } else if (auto redirected = loading.find_redirected(std::string(windows_base_name(asked)))) {
    found = *std::move(redirected);
  } else if (!full && asked.find_first_of("\\/") != 0 && asked.find(':') == std::string::npos) {
    found = loading.search(asked);
  } else {
    found.file = file;
    found.rule = LoadRule::given_path;
    const EntryKind kind = files_.entry(file).kind;
    found.error = kind == EntryKind::none || kind == EntryKind::loop ? kErrorModuleNotFound
                  : kind == EntryKind::folder                        ? kErrorAccessDenied
                                                                     : 0U;
  }
  const auto object = loading.open(found, std::nullopt, caller);
  if (!object) {
    loading.note_failure(found, name,
                         caller < objects_.size() ? objects_[caller].file : std::string());
    return loading.fail();
  }
  return loading.resolve() ? loading.succeed(*object) : loading.fail();
}

void WindowsProcess::undo(const WindowsLoad& loaded) {
  if (!loaded.loaded.empty()) {
    forget_from(loaded.loaded.front());
  }
}

void WindowsProcess::add_folder(const std::string& folder) {
  added_.push_back(full_windows_path(folder, settings_.current_folder));
}

void WindowsProcess::set_folder(const std::string& folder) {
  set_folder_ = folder;
}

void WindowsProcess::set_path(std::vector<std::string> path) {
  settings_.path = std::move(path);
  for (std::string& folder : settings_.path) {
    folder = unquoted(std::move(folder));
  }
}

std::vector<WindowsPlace> WindowsProcess::places(std::uint32_t flags,
                                                 const std::string& folder) const {
  std::vector<WindowsPlace> all;
  const auto add = [&](LoadRule rule, const std::string& where, std::string detail = "") {
    if (!where.empty()) {
      all.push_back({rule, full_windows_path(where, settings_.current_folder), std::move(detail)});
    }
  };
  const std::string application = objects_.empty() ? "" : windows_folder_of(objects_[0].file);
  if ((flags & kLoadSearchDefaultDirs) != 0) {
    flags |= kLoadSearchApplicationDir | kLoadSearchUserDirs | kLoadSearchSystem32;
  }
  if ((flags & kSearchFlags) != 0) {
    if ((flags & kLoadSearchDllLoadDir) != 0) {
      add(LoadRule::altered_folder, folder);
    }
    if ((flags & kLoadSearchApplicationDir) != 0) {
      add(LoadRule::application_folder, application);
    }
    if ((flags & kLoadSearchUserDirs) != 0) {
      // Microsoft leaves their order open; Windows and Wine take the last one first.
      for (auto added = added_.rbegin(); added != added_.rend(); ++added) {
        add(LoadRule::added_folder, *added, "AddDllDirectory");
      }
      add(LoadRule::added_folder, set_folder_, "SetDllDirectory");
    }
    if ((flags & kLoadSearchSystem32) != 0) {
      add(LoadRule::system_folder, settings_.system_folder);
    }
    return all;
  }
  if ((flags & kLoadAlteredSearchPath) != 0 && !folder.empty()) {
    add(LoadRule::altered_folder, folder);
  } else {
    add(LoadRule::application_folder, application);
  }
  add(LoadRule::added_folder, set_folder_, "SetDllDirectory");
  const bool current = set_folder_.empty();
  if (current && !settings_.safe_search) {
    add(LoadRule::current_folder, settings_.current_folder);
  }
  add(LoadRule::system_folder, settings_.system_folder);
  add(LoadRule::windows_folder, join_windows_path(settings_.windows_folder, "System"));
  add(LoadRule::windows_folder, settings_.windows_folder);
  if (current && settings_.safe_search) {
    add(LoadRule::current_folder, settings_.current_folder);
  }
  for (std::size_t i = 0; i < settings_.path.size(); ++i) {
    add(LoadRule::path_variable, settings_.path[i], "element " + std::to_string(i + 1));
  }
  return all;
}

std::optional<std::size_t> WindowsProcess::find_loaded(std::string_view name) const {
  const auto found = by_name_.find(to_lower_ascii(with_extension(name)));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> WindowsProcess::host_of_api_set(std::string_view name,
                                                           std::string_view importer) const {
  if (!api_sets_) {
    return std::nullopt;
  }
  const auto* hosts = find_api_set(*api_sets_, name);
  return hosts == nullptr ? std::nullopt : std::optional(api_set_host(*hosts, importer));
}

/// The registry names some; what they import is known with them.
bool WindowsProcess::is_known_dll(const std::string& name) {
  if (!known_dlls_) {
    known_dlls_.emplace();
    std::vector<std::string> todo;
    const auto note = [&](const std::string& dll) {
      if (known_dlls_->size() < kMaxKnownDlls && known_dlls_->insert(dll).second) {
        todo.push_back(dll);
      }
    };
    for (const std::string& dll : settings_.known_dlls) {
      note(to_lower_ascii(dll));
    }
    while (has_system_ && !todo.empty()) {
      const std::string importer = std::move(todo.back());
      todo.pop_back();
      const std::string file = join_windows_path(settings_.system_folder, importer);
      const auto pe = files_.entry(file).kind == EntryKind::file ? files_.pe(file)
                                                                 : Result<const PeFile*>(nullptr);
      if (!pe || *pe == nullptr) {
        continue;
      }
      for (const std::string& imported : (*pe)->imports) {
        const std::string dll = to_lower_ascii(with_extension(imported));
        const auto host = host_of_api_set(dll, importer);
        if (host ? !host->empty() : !is_api_set_name(dll)) {
          note(host.value_or(dll));
        }
      }
    }
  }
  return known_dlls_->contains(name);
}

bool WindowsProcess::is_folder(const std::string& path) {
  const auto known = folder_exists_.find(path);
  if (known != folder_exists_.end()) {
    return known->second;
  }
  return folder_exists_.emplace(path, files_.entry(path).kind == EntryKind::folder).first->second;
}

void WindowsProcess::keep(WindowsObject object) {
  by_name_.try_emplace(object.name, objects_.size());
  if (!object.identity.empty()) {
    by_identity_.try_emplace(object.identity, objects_.size());
  }
  objects_.push_back(std::move(object));
}

void WindowsProcess::forget_from(std::size_t first) {
  objects_.resize(std::min(first, objects_.size()));
  std::erase_if(by_name_, [&](const auto& known) { return known.second >= first; });
  std::erase_if(by_identity_, [&](const auto& known) { return known.second >= first; });
}

}  // namespace plumb

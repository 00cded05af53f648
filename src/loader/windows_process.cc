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
#include "loader/windows_loading.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

constexpr std::size_t kMaxKnownDlls = 4096;

std::string unquoted(std::string folder) {
  std::erase(folder, '"');
  return folder;
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
  const std::string asked = with_dll_extension(name);
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
  const auto found = by_name_.find(to_lower_ascii(with_dll_extension(name)));
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
        const std::string dll = to_lower_ascii(with_dll_extension(imported));
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

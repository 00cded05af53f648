// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_settings.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "os/known_dlls.h"

namespace plumb {
namespace {

/// HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs of Windows 10 22H2.
constexpr const char* kUsualKnownDlls[] = {
    "advapi32.dll", "clbcatq.dll",  "combase.dll",  "comdlg32.dll", "coml2.dll",    "difxapi.dll",
    "gdi32.dll",    "gdiplus.dll",  "imagehlp.dll", "imm32.dll",    "kernel32.dll", "msctf.dll",
    "msvcrt.dll",   "normaliz.dll", "nsi.dll",      "ole32.dll",    "oleaut32.dll", "psapi.dll",
    "rpcrt4.dll",   "sechost.dll",  "setupapi.dll", "shcore.dll",   "shell32.dll",  "shlwapi.dll",
    "user32.dll",   "wldap32.dll",  "ws2_32.dll"};

/// Microsoft's C++ runtime, which its installer puts into System32, and Python's own DLLs, which
/// lie with the interpreter: where neither is in view, nothing says that they are missing.
constexpr const char* kUsuallyInstalled[] = {"msvcp140.dll",
                                             "msvcp140_1.dll",
                                             "msvcp140_2.dll",
                                             "msvcp140_atomic_wait.dll",
                                             "msvcp140_codecvt_ids.dll",
                                             "vcruntime140.dll",
                                             "vcruntime140_1.dll",
                                             "vcruntime140_threads.dll",
                                             "concrt140.dll",
                                             "vcomp140.dll",
                                             "vccorlib140.dll",
                                             "python3.dll"};

}  // namespace

WindowsSettings observe_windows_settings(const Host& host, RealFiles& files,
                                         const std::string& program) {
  WindowsSettings settings;
  const auto pe = files.pe(program);
  settings.machine = pe ? (*pe)->machine : host.machine;
  const bool runs_here = host.is_windows() && host.root.empty();
  if (!host.system_folder.empty()) {
    settings.system_folder = files.there(host.system_folder);
    settings.windows_folder =
        settings.system_folder.substr(0, settings.system_folder.find_last_of('\\'));
  }
  settings.current_folder = runs_here ? host.current_folder : settings.windows_folder;
  if (runs_here) {
    for (std::string_view element : split(host.variable("PATH").value_or(""), ';')) {
      std::string folder(element);
      std::erase(folder, '"');
      settings.path.push_back(std::move(folder));
    }
    settings.known_dlls = known_dlls();
  }
  if (settings.known_dlls.empty()) {
    settings.known_dlls.assign(std::begin(kUsualKnownDlls), std::end(kUsualKnownDlls));
  }
  settings.provided.insert(settings.provided.end(), std::begin(kUsuallyInstalled),
                           std::end(kUsuallyInstalled));
  for (int minor = 6; minor <= 20; ++minor) {
    settings.provided.push_back("python3" + std::to_string(minor) + ".dll");
  }
  for (std::string& name : settings.known_dlls) {
    name = to_lower_ascii(name);
  }
  return settings;
}

}  // namespace plumb

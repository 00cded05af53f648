// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_settings.h"

#include <algorithm>

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
  for (std::string& name : settings.known_dlls) {
    name = to_lower_ascii(name);
  }
  return settings;
}

}  // namespace plumb

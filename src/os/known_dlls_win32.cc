// SPDX-License-Identifier: Apache-2.0
#include "os/known_dlls.h"

#include <windows.h>

#include "os/wide.h"

namespace plumb {

std::vector<std::string> known_dlls() {
  std::vector<std::string> names;
  HKEY key = nullptr;
  if (::RegOpenKeyExW(HKEY_LOCAL_MACHINE,
                      L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\KnownDLLs", 0,
                      KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) {
    return names;
  }
  for (DWORD index = 0; index < 1000; ++index) {
    wchar_t name[256];
    DWORD name_length = 256;
    wchar_t value[512];
    DWORD value_size = sizeof value;
    DWORD type = 0;
    const LSTATUS status = ::RegEnumValueW(key, index, name, &name_length, nullptr, &type,
                                           reinterpret_cast<BYTE*>(value), &value_size);
    if (status == ERROR_NO_MORE_ITEMS) {
      break;
    }
    if (status != ERROR_SUCCESS || type != REG_SZ) {
      continue;  // DllDirectory and DllDirectory32 are REG_EXPAND_SZ
    }
    std::wstring_view text(value, value_size / sizeof(wchar_t));
    names.push_back(from_wide(text.substr(0, text.find(L'\0'))));
  }
  ::RegCloseKey(key);
  return names;
}

}  // namespace plumb

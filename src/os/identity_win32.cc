// SPDX-License-Identifier: Apache-2.0
#include "os/identity.h"

#include <windows.h>

#include <array>

#include "os/environment.h"
#include "os/wide.h"

namespace plumb {

std::string user_name() {
  std::array<wchar_t, 257> name{};
  auto length = static_cast<DWORD>(name.size());
  if (::GetUserNameW(name.data(), &length) != 0 && length > 0) {
    return from_wide({name.data(), length - 1});
  }
  return get_environment("USERNAME").value_or("");
}

std::string host_name() {
  std::array<wchar_t, 257> name{};
  auto length = static_cast<DWORD>(name.size());
  if (::GetComputerNameExW(ComputerNameDnsHostname, name.data(), &length) != 0) {
    return from_wide({name.data(), length});
  }
  return get_environment("COMPUTERNAME").value_or("");
}

}  // namespace plumb

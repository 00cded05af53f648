// SPDX-License-Identifier: Apache-2.0
#include "os/remote_drive.h"

#include <windows.h>

#include <array>

namespace plumb {

bool is_remote_drive(const std::string& path) {
  if (path.size() < 2 || path[1] != ':') {
    return false;
  }
  const std::array<wchar_t, 4> root = {static_cast<wchar_t>(path[0]), L':', L'\\', L'\0'};
  const UINT kind = ::GetDriveTypeW(root.data());
  return kind == DRIVE_REMOTE || kind == DRIVE_NO_ROOT_DIR;
}

}  // namespace plumb

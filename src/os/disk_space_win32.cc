// SPDX-License-Identifier: Apache-2.0
#include "os/disk_space.h"

#include <windows.h>

#include <array>
#include <string_view>

#include "os/system_error.h"
#include "os/wide.h"

namespace plumb {
namespace {

bool is_slash(char c) {
  return c == '\\' || c == '/';
}

/// "C:\\" of an absolute path, also of "\\\\?\\C:\\x"; "" for one that begins with no drive.
std::string drive_of(std::string_view path) {
  if (path.starts_with("\\\\?\\") || path.starts_with("\\\\.\\")) {
    path.remove_prefix(4);
  }
  const bool drive = path.size() >= 2 && path[1] == ':' &&
                     ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z'));
  return drive ? std::string(path.substr(0, 2)) + "\\" : std::string{};
}

}  // namespace

Result<DiskSpace> disk_space(const std::string& path) {
  if (is_on_network(path)) {
    return std::unexpected(
        Error{ErrorCode::unsupported, "lies on a network drive, which is not asked", path, {}});
  }
  ULARGE_INTEGER free{};
  ULARGE_INTEGER total{};
  if (::GetDiskFreeSpaceExW(to_wide(path).c_str(), &free, &total, nullptr) == 0) {
    return std::unexpected(system_error(::GetLastError()).in(path));
  }
  std::array<wchar_t, MAX_PATH + 1> name{};
  const std::string drive = drive_of(path);
  const bool named =
      !drive.empty() && ::GetVolumeInformationW(to_wide(drive).c_str(), nullptr, 0, nullptr,
                                                nullptr, nullptr, name.data(), MAX_PATH) != 0;
  return DiskSpace{total.QuadPart, free.QuadPart, named ? from_wide(name.data()) : std::string{}};
}

bool is_on_network(const std::string& path) {
  const std::string drive = drive_of(path);
  if (drive.empty()) {
    return path.size() >= 2 && is_slash(path[0]) && is_slash(path[1]);  // "\\\\server\\share"
  }
  return ::GetDriveTypeW(to_wide(drive).c_str()) == DRIVE_REMOTE;
}

}  // namespace plumb

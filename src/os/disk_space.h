// SPDX-License-Identifier: Apache-2.0
#pragma once
// Room on the disk that holds a folder. disk_space_posix.cc / disk_space_win32.cc.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace plumb {

struct DiskSpace {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // that this user may take
  std::string file_system;       // "NTFS"; "" on Linux, where mountinfo(5) tells it
};

/// `path` must exist. On Linux this waits for a network file system that does not answer: ask
/// mountinfo first. On Windows network drives are not touched: unsupported.
[[nodiscard]] Result<DiskSpace> disk_space(const std::string& path);

/// Windows: on a network share or a drive that stands for one, told without touching it. Linux:
/// false.
[[nodiscard]] bool is_on_network(const std::string& path);

}  // namespace plumb

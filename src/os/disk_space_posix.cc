// SPDX-License-Identifier: Apache-2.0
#include "os/disk_space.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <limits>

#include "os/system_error.h"

namespace plumb {
namespace {

/// Some FUSE file systems claim more blocks than 64 bits of bytes.
std::uint64_t bytes_of(std::uint64_t blocks, std::uint64_t size) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return size != 0 && blocks > kMost / size ? kMost : blocks * size;
}

}  // namespace

Result<DiskSpace> disk_space(const std::string& path) {
  struct statvfs status{};
  int failed = 0;
  do {
    failed = ::statvfs(path.c_str(), &status);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) {
    return std::unexpected(system_error(static_cast<std::uint32_t>(errno)).in(path));
  }
  return DiskSpace{
      bytes_of(status.f_blocks, status.f_frsize), bytes_of(status.f_bavail, status.f_frsize), {}};
}

bool is_on_network(const std::string&) {
  return false;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/device_node.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "os/system_error.h"

namespace plumb {

Result<NodeStatus> node_status(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return std::unexpected(system_error(static_cast<std::uint32_t>(errno)).in(path));
  }
  NodeStatus node;
  node.is_device = S_ISCHR(status.st_mode);
  if (node.is_device) {
    node.major = major(status.st_rdev);
    node.minor = minor(status.st_rdev);
  }
  node.mode = status.st_mode & 07777U;
  node.owner = status.st_uid;
  node.group = status.st_gid;
  node.accessible = ::access(path.c_str(), R_OK | W_OK) == 0;
  return node;
}

}  // namespace plumb

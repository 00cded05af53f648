// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device nodes, looked at and never opened: opening NVIDIA's wakes the card. device_node_posix.cc;
// device_node_win32.cc knows none.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace plumb {

struct NodeStatus {
  bool is_device = false;  // a character device; else major and minor are 0
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t mode = 0;  // permission bits, 07777
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  bool accessible = false;  // access(2): this process may read and write it
};

/// Links are followed. Errors: not_found, no_permission, unsupported (Windows), io.
[[nodiscard]] Result<NodeStatus> node_status(const std::string& path);

}  // namespace plumb

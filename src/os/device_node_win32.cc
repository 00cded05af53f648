// SPDX-License-Identifier: Apache-2.0
#include "os/device_node.h"

namespace plumb {

Result<NodeStatus> node_status(const std::string& path) {
  return std::unexpected(Error{ErrorCode::unsupported, "Windows has no device nodes", path, {}});
}

}  // namespace plumb

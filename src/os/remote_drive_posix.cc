// SPDX-License-Identifier: Apache-2.0
#include "os/remote_drive.h"

namespace plumb {

bool is_remote_drive(const std::string& /*path*/) {
  return false;
}

}  // namespace plumb

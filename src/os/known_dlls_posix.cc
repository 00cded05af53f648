// SPDX-License-Identifier: Apache-2.0
#include "os/known_dlls.h"

namespace plumb {

std::vector<std::string> known_dlls() {
  return {};
}

}  // namespace plumb

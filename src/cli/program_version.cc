// SPDX-License-Identifier: Apache-2.0
#include "cli/program_version.h"

namespace plumb {

std::string_view program_version() {
  return PLUMB_VERSION;
}

}  // namespace plumb

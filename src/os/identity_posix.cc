// SPDX-License-Identifier: Apache-2.0
#include "os/identity.h"

#include <unistd.h>

#include <array>

#include "base/text.h"
#include "os/environment.h"

namespace plumb {

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    if (auto name = get_environment(variable); name && !name->empty()) {
      return *std::move(name);
    }
  }
  return base_name(home_folder());
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                          : std::string{};
}

}  // namespace plumb

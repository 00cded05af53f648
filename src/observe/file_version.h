// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which version a library file is: from its bytes, else its name, else its version resource, else
// the package that owns it.

#include <string>
#include <vector>

#include "facts/machine.h"
#include "observe/real_files.h"

namespace plumb {

/// "" where nothing says. `path` is of the machine looked at.
[[nodiscard]] std::string version_of_file(RealFiles& files, const std::string& path,
                                          const std::vector<Distribution>& distributions);

}  // namespace plumb

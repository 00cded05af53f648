// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "facts/snapshot.h"

namespace plumb {

/// --from's value. Errors name the file: that of reading it, or what is wrong in it.
[[nodiscard]] Result<Snapshot> read_snapshot_file(const std::string& path);

}  // namespace plumb

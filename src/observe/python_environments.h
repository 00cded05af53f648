// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every Python environment that can be found quickly: active ones, those near the current folder,
// those that conda has noted, and those in the usual places. No disk is searched.

#include <vector>

#include "facts/python_world.h"
#include "observe/host.h"
#include "observe/search_limits.h"

namespace plumb {

[[nodiscard]] std::vector<FoundEnvironment> observe_environments(const Host& host,
                                                                 const SearchLimits& limits,
                                                                 std::vector<Error>& errors);

}  // namespace plumb

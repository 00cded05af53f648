// SPDX-License-Identifier: Apache-2.0
#pragma once
// All Pythons of a machine: interpreters, environments, and which of them a command means.

#include "facts/python_world.h"
#include "observe/host.h"
#include "observe/search_limits.h"

namespace plumb {

[[nodiscard]] PythonWorld observe_python_world(const Host& host, const SearchLimits& limits = {});

}  // namespace plumb

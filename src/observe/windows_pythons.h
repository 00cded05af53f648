// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pythons that only Windows has: PEP 514's registry keys, the Microsoft Store, py.exe.

#include <vector>

#include "facts/python_world.h"
#include "observe/host.h"

namespace plumb {

/// Registry, Store, stubs and launchers, in this order. A registry value of another type than text
/// goes to `errors`.
[[nodiscard]] std::vector<PythonInterpreter> windows_pythons(const Host& host,
                                                             std::vector<Error>& errors);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Python environment in force, found without running Python.
//
// The order, and why:
//   1  --env                  the user says so
//   2  VIRTUAL_ENV            somebody activated it; a venv on top of conda's base is common
//   3  CONDA_PREFIX           activated, unless it is only conda's base, which most shells activate
//                             unasked: then 4 comes first
//   4  .venv                  in this folder or one above: uv, Poetry and editors use it
//   unactivated 5  conda's base, then `python` (else `python3`) on PATH, through pyenv's shims
// Where 2 or 3 name one environment and `python` starts another, both are told.

#include <optional>
#include <string>
#include <string_view>

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

struct PythonSearch {
  Fact<PythonEnvironment> environment;
  bool store_stub = false;  // `python` only opens the Microsoft Store
};

/// `option` is --env's value or "". It may name an environment, its interpreter, or a folder of
/// installed packages.
[[nodiscard]] PythonSearch find_python_environment(const Host& host, const std::string& option);

/// What `folder` is, with its site-packages; empty if it is no environment.
[[nodiscard]] std::optional<PythonEnvironment> environment_at(const Host& host,
                                                              const std::string& folder,
                                                              FoundBy found_by);

}  // namespace plumb

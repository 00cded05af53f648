// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the root of a Python environment to its version and the folders its packages lie in: what
// Python's site module does, read from the tree. Both systems' layouts on both systems.

#include <map>
#include <string>
#include <string_view>

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// The keys of a pyvenv.cfg, lower case; empty if there is no such file. Not INI: each line is
/// split at its first '='.
[[nodiscard]] std::map<std::string, std::string> read_pyvenv_cfg(const std::string& root);

/// "3.12" of the newest lib/python3.12 below `root`, "" if there is none. `wanted` is taken before
/// others.
[[nodiscard]] std::string posix_python(const std::string& root, std::string_view wanted = {});

/// Fills system, python_version and site_packages of an environment whose root, kind and
/// interpreter are known.
void describe_environment(const Host& host, PythonEnvironment& environment);

/// "python3.12" -> "3.12", "python312" -> "3.12", "pypy3.10" -> "3.10"; else "".
[[nodiscard]] std::string python_of_name(std::string_view name);

}  // namespace plumb

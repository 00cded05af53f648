// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interpreters: PEP 514's registry keys, the Store, the launchers, pyenv, uv, conda, usual folders
// and PATH. None is run.

#include <optional>
#include <string>
#include <vector>

#include "facts/python_world.h"
#include "observe/host.h"
#include "observe/search_limits.h"

namespace plumb {

/// `environments` add the interpreters that they were made from. What was given up or could not be
/// read goes to `errors`.
[[nodiscard]] std::vector<PythonInterpreter> observe_interpreters(
    const Host& host, const std::vector<FoundEnvironment>& environments, const SearchLimits& limits,
    std::vector<Error>& errors);

/// PY_PYTHON, else `python` in [defaults] of py.ini; absent on Linux.
[[nodiscard]] Fact<std::string> observe_launcher_default(const Host& host);

/// Folders of uv's and pyenv's own Pythons.
[[nodiscard]] std::vector<std::string> uv_python_folders(const Host& host);
[[nodiscard]] std::vector<std::string> pyenv_version_folders(const Host& host);
/// Conda installations in usual places that exist: each has conda-meta.
[[nodiscard]] std::vector<std::string> conda_roots(const Host& host);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lies on the way of an import besides the packages: the user's site-packages, PYTHONPATH,
// .pth files, modules in the current folder, awkward paths.

#include <string>
#include <string_view>
#include <vector>

#include "facts/machine.h"
#include "facts/python_packages.h"
#include "observe/host.h"

namespace plumb {

/// Fills user_site, python_path, python_home, safe_path, pth_files, shadowed, shadowing_modules and
/// odd_paths.
void observe_import_path(const Host& host, const PythonEnvironment& environment,
                         PackageDetails& details);

/// Of one .pth file; `site` is the folder it lies in, `path` its own. Missing folders are not
/// looked for here: `named` gets all that it names, absolute or below `site`.
[[nodiscard]] PthFile parse_pth(std::string_view text, const std::string& path,
                                std::vector<std::string>& named);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// How pip, uv and conda are set up.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "facts/machine.h"
#include "facts/pip_configuration.h"
#include "observe/host.h"

namespace plumb {

/// `environment` is the one in force, or null: its own pip.conf and condarc count then.
[[nodiscard]] PipConfiguration observe_pip_configuration(const Host& host,
                                                         const PythonEnvironment* environment);

struct IniFile {
  std::vector<Setting> settings;  // "section.key", lower case, '_' as '-'; lines joined by blanks
  std::vector<Error> errors;      // what Python's configparser refuses, as "PATH:LINE"
};
/// As Python's RawConfigParser reads: '=' or ':', '#' and ';' at the start of a line, indented
/// lines go on, no section or key twice.
[[nodiscard]] IniFile parse_pip_ini(std::string_view text, const std::string& path);

}  // namespace plumb

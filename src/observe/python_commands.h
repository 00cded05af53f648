// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which installation `python` and `pip` in a terminal work on.

#include <string>
#include <string_view>
#include <vector>

#include "facts/python_world.h"
#include "observe/host.h"

namespace plumb {

/// python, python3, pip and pip3, those that PATH has.
[[nodiscard]] std::vector<PythonCommand> observe_python_commands(const Host& host);

/// The interpreter that a script starts by its first lines, as written: "#!/usr/bin/python3", or
/// with a shell between where the path has blanks or is long ('''exec' "/a b/python" "$0" "$@").
/// "" if it tells none.
[[nodiscard]] std::string interpreter_of_script(std::string_view text);

/// The same of a launcher of pip or distlib for Windows: "#!C:\\...\\python.exe" stands between
/// the program and the zip archive at its end. `tail` is the last 64 KB of the file.
[[nodiscard]] std::string interpreter_of_launcher(std::string_view tail);

/// Whether `pip` and `python` work on one prefix.
[[nodiscard]] Fact<bool> compare_pip_with_python(const Host& host,
                                                 const std::vector<PythonCommand>& commands);

}  // namespace plumb

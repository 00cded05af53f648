// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one Python program file and the installation around it tell, read from the files.

#include <string>
#include <string_view>
#include <vector>

#include "facts/python_world.h"
#include "observe/host.h"

namespace plumb {

/// "python", "python3", "python3.12", "python3.13t", "pypy3"; on Windows with ".exe". Not
/// "python3-config" nor "pythonw.exe".
[[nodiscard]] bool is_python_name(std::string_view name, bool windows);

/// ROOT of ROOT/bin/python3, ROOT/python.exe and ROOT/Scripts/python.exe.
[[nodiscard]] std::string prefix_of_program(const std::string& program);

/// The real file behind `path`, if it lies on the machine looked at; else `path`.
[[nodiscard]] std::string real_on_host(const Host& host, const std::string& path);

/// Fills machine and bits from the file's header; then version, the mark of PEP 668 and GPU
/// projects by the prefix. `path` and `prefix` must be set.
void describe_interpreter(const Host& host, PythonInterpreter& interpreter);

/// "cpython-3.12.7-linux-x86_64-gnu" -> "3.12.7", "3.11.9" -> "3.11.9"; "" if there is none.
[[nodiscard]] std::string version_in_folder_name(std::string_view name);

/// GPU projects among the *.dist-info and *.egg-info of these folders, each once, by name.
[[nodiscard]] std::vector<ProjectVersion> gpu_projects_in(
    const std::vector<std::string>& site_packages);

}  // namespace plumb

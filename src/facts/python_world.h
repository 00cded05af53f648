// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every Python of a machine, beyond the one environment in force: interpreters, environments, and
// which of them a command means. Nothing was run: versions and machines are read from names and
// files. Paths are as they were opened; each real file or folder stands here once.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

/// An installed project by the name of its *.dist-info: nothing inside was read.
struct ProjectVersion {
  std::string name;     // normalised (PEP 503)
  std::string version;  // as the folder writes it; "" = not in the name
};
void fields(auto& visit, Is<ProjectVersion> auto& x) {
  visit("name", x.name);
  visit("version", x.version);
}

enum class InterpreterKind : std::uint8_t {
  system,           // Linux: below /usr
  venv_base,        // known only because an environment was made from it
  registry,         // Windows: PEP 514
  store,            // Microsoft Store
  alias_stub,       // an app execution alias: starts the Store's Python, or the Store itself
  launcher,         // py.exe
  install_manager,  // Python install manager (PyManager)
  pyenv,
  uv,  // managed by uv
  conda,
  folder,  // a usual folder, or one on PATH
};
constexpr auto enum_names(InterpreterKind) {
  return std::to_array<std::string_view>({"system", "venv-base", "registry", "store", "alias-stub",
                                          "py-launcher", "install-manager", "pyenv", "uv", "conda",
                                          "folder"});
}

struct PythonInterpreter {
  InterpreterKind kind = InterpreterKind::folder;
  std::string path;                 // of the program
  std::string prefix;               // the installation's folder; "" for launchers and stubs
  std::string company;              // PEP 514: "PythonCore", "Astral", "ContinuumAnalytics"
  std::string tag;                  // PEP 514: "3.12", "3.12-32"
  Fact<std::string> version;        // "3.12.8", or "3.12" where no more is told
  Fact<std::string> machine;        // of the program file: "x86_64", "aarch64", "i386", "arm"
  std::uint32_t bits = 0;           // 32 or 64 by the program file; 0 = not told
  bool externally_managed = false;  // EXTERNALLY-MANAGED lies in its standard library (PEP 668)
  bool stale = false;               // the registry names a program that is gone
  std::vector<std::string> names;   // further paths and registry keys that lead to it
  std::vector<ProjectVersion> gpu_projects;  // in its own and the user's site-packages
  std::string origin;                        // what led to it: "PATH", a folder, a registry key
};
void fields(auto& visit, Is<PythonInterpreter> auto& x) {
  visit("kind", x.kind);
  visit("path", x.path);
  visit("prefix", x.prefix);
  visit("company", x.company);
  visit("tag", x.tag);
  visit("version", x.version);
  visit("machine", x.machine);
  visit("bits", x.bits);
  visit("externally_managed", x.externally_managed);
  visit("stale", x.stale);
  visit("names", x.names);
  visit("gpu_projects", x.gpu_projects);
  visit("origin", x.origin);
}

enum class FoundKind : std::uint8_t {
  venv,        // by the venv module, virtualenv or uv: has a pyvenv.cfg
  conda,       // has conda-meta
  conda_root,  // one that holds conda itself
  pixi,
};
constexpr auto enum_names(FoundKind) {
  return std::to_array<std::string_view>({"venv", "conda", "conda-root", "pixi"});
}

enum class FoundIn : std::uint8_t {
  active,        // VIRTUAL_ENV, CONDA_PREFIX, UV_PROJECT_ENVIRONMENT
  dot_venv,      // .venv or venv here or above
  pixi,          // .pixi/envs here or above
  conda_list,    // ~/.conda/environments.txt
  conda_config,  // envs_dirs of a condarc, CONDA_ENVS_PATH
  conda_root,    // a conda installation in a usual place
  store_folder,  // WORKON_HOME, ~/.virtualenvs ...
  poetry,
  pipx,
  pipenv,
  uv,      // uv tool
  folder,  // /opt
};
constexpr auto enum_names(FoundIn) {
  return std::to_array<std::string_view>({"active", "dot-venv", "pixi", "conda-list",
                                          "conda-config", "conda-root", "store-folder", "poetry",
                                          "pipx", "pipenv", "uv", "folder"});
}

enum class BrokenBy : std::uint8_t {
  nothing,
  no_home,         // pyvenv.cfg names no home, or one that is gone
  no_base_python,  // home is there but holds no Python
  no_interpreter,  // the environment's own python is missing, or a link to nothing
};
constexpr auto enum_names(BrokenBy) {
  return std::to_array<std::string_view>(
      {"nothing", "no-home", "no-base-python", "no-interpreter"});
}

struct FoundEnvironment {
  FoundKind kind = FoundKind::venv;
  FoundIn found_in = FoundIn::folder;
  std::string root;
  std::string interpreter;  // "" if none was seen; a conda environment may have none
  std::string home;         // pyvenv.cfg: the folder of the base interpreter, as written
  std::string made_by;      // pyvenv.cfg: "uv 0.8.3", "virtualenv 20.26.2"; "" = venv, or not told
  Fact<std::string> python_version;
  BrokenBy broken = BrokenBy::nothing;
  bool active = false;                // the one that a variable names
  bool system_site_packages = false;  // sees its base's packages (a missing key counts as true)
  std::vector<ProjectVersion> gpu_projects;  // in its own site-packages
  std::string origin;                        // "VIRTUAL_ENV", a file, a folder
};
void fields(auto& visit, Is<FoundEnvironment> auto& x) {
  visit("kind", x.kind);
  visit("found_in", x.found_in);
  visit("root", x.root);
  visit("interpreter", x.interpreter);
  visit("home", x.home);
  visit("made_by", x.made_by);
  visit("python_version", x.python_version);
  visit("broken", x.broken);
  visit("active", x.active);
  visit("system_site_packages", x.system_site_packages);
  visit("gpu_projects", x.gpu_projects);
  visit("origin", x.origin);
}

/// A command as a terminal would start it: the first of its name on PATH.
struct PythonCommand {
  std::string name;    // "python", "python3", "pip", "pip3"
  std::string path;    // the file on PATH
  std::string prefix;  // the installation or environment that it works on; "" = not told
  std::vector<std::string> hidden;  // others of that name further down PATH
  std::string origin;  // how `prefix` was told: the script's first line, the launcher, its folder
};
void fields(auto& visit, Is<PythonCommand> auto& x) {
  visit("name", x.name);
  visit("path", x.path);
  visit("prefix", x.prefix);
  visit("hidden", x.hidden);
  visit("origin", x.origin);
}

struct PythonWorld {
  std::vector<PythonInterpreter> interpreters;
  std::vector<FoundEnvironment> environments;  // active ones first
  std::vector<PythonCommand> commands;
  /// True if `pip` and `python` work on the same prefix; absent if one is missing or not told.
  Fact<bool> pip_fits_python;
  /// What `py` starts without options: PY_PYTHON, else py.ini: "3.12", "3.12-32".
  Fact<std::string> launcher_default;
  std::vector<Error> errors;  // folders given up (limit), files that could not be read
};
void fields(auto& visit, Is<PythonWorld> auto& x) {
  visit("interpreters", x.interpreters);
  visit("environments", x.environments);
  visit("commands", x.commands);
  visit("pip_fits_python", x.pip_fits_python);
  visit("launcher_default", x.launcher_default);
  visit("errors", x.errors);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/python_installs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "observe/host_paths.h"
#include "observe/python_program.h"
#include "observe/windows_pythons.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 11> kCondaNames = {
    "anaconda3",  "miniconda3", "miniforge3", "mambaforge", "micromamba", "Anaconda3",
    "Miniconda3", "Miniforge3", "anaconda",   "miniconda",  "conda"};
constexpr std::size_t kMostInterpreters = 500;
constexpr std::size_t kMostNames = 32;

/// Interpreters by their real files, each once; later names are kept beside the first.
class Collector {
 public:
  Collector(const Host& host, const SearchLimits& limits, std::vector<Error>& errors)
      : host_(host), limits_(limits), errors_(errors) {}

  void add(PythonInterpreter found) {
    const std::string named = found.path;
    const bool in_view =
        host_.root.empty() ? !may_be_slow(host_, named) : named.starts_with(host_.root);
    const bool readable = in_view && !named.empty() && !found.stale &&
                          found.kind != InterpreterKind::alias_stub &&
                          found.kind != InterpreterKind::store;
    if (readable) {
      found.path = real_on_host(host_, named);
    }
    const auto [at, is_new] = places_.emplace(key_of(found.path), found_.size());
    if (!is_new) {
      PythonInterpreter& known = found_[at->second];
      remember_name(known, named);
      if (!found.company.empty()) {
        remember_name(known, found.origin);
      }
      return;
    }
    if (found_.size() >= kMostInterpreters) {
      return;
    }
    remember_name(found, named);
    if (found.kind != InterpreterKind::launcher && found.prefix.empty() && readable) {
      found.prefix = prefix_of_program(found.path);
    }
    if (readable && !found.prefix.empty() && is_file(join_path(found.prefix, "pyvenv.cfg"))) {
      return;  // an environment's python, not an installation
    }
    if (readable) {
      describe_interpreter(host_, found);
    }
    found_.push_back(std::move(found));
  }

  /// `folder`/bin/python3* or `folder`/python.exe, the first that is there.
  void add_prefix(const std::string& folder, InterpreterKind kind, const std::string& origin) {
    constexpr std::array<std::array<std::string_view, 2>, 5> kPlaces = {{{"bin", "python3"},
                                                                         {"bin", "python"},
                                                                         {"bin", "pypy3"},
                                                                         {"", "python.exe"},
                                                                         {"bin", "python.exe"}}};
    for (const auto& [below, name] : kPlaces) {
      const std::string path = join_path(below.empty() ? folder : join_path(folder, below), name);
      if (is_file(path)) {
        add_program(path, kind, origin);
        return;
      }
    }
  }

  void add_children(const std::string& folder, std::string_view prefix, InterpreterKind kind) {
    if (may_be_slow(host_, folder)) {
      return;
    }
    RootTimer timer(limits_, folder, errors_);
    const auto entries = list_directory(folder);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      if (timer.expired()) {
        return;
      }
      if (entry.kind != FileKind::regular && entry.name.starts_with(prefix)) {
        add_prefix(join_path(folder, entry.name), kind, folder);
      }
    }
  }

  void add_programs_in(const std::string& folder, const std::string& origin) {
    if (may_be_slow(host_, folder) || to_lower_ascii(file_name(folder)) == "windowsapps" ||
        file_name(folder) == "shims") {
      return;
    }
    RootTimer timer(limits_, folder, errors_);
    const auto entries = list_directory(folder);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      if (timer.expired()) {
        return;
      }
      const std::string path = join_path(folder, entry.name);
      if (is_python_name(entry.name, host_.is_windows()) && is_file(path)) {
        add_program(path, InterpreterKind::folder, origin);
      }
    }
  }

  void add_program(const std::string& path, InterpreterKind kind, const std::string& origin) {
    PythonInterpreter found;
    found.path = path;
    found.kind = kind;
    found.origin = origin;
    if (kind == InterpreterKind::folder || kind == InterpreterKind::venv_base) {
      const std::string prefix = prefix_of_program(real_on_host(host_, path));
      if (!host_.is_windows() &&
          (prefix == host_.at("/usr") || prefix == host_.root || prefix == "/")) {
        found.kind = InterpreterKind::system;
      } else if (is_folder(join_path(prefix, "conda-meta"))) {
        found.kind = InterpreterKind::conda;
      }
    }
    add(std::move(found));
  }

  [[nodiscard]] std::vector<PythonInterpreter> take() { return std::move(found_); }

 private:
  [[nodiscard]] std::string key_of(const std::string& path) const {
    return host_.is_windows() ? to_lower_ascii(path) : path;
  }

  static void remember_name(PythonInterpreter& interpreter, const std::string& name) {
    if (name != interpreter.path && interpreter.names.size() < kMostNames &&
        std::ranges::find(interpreter.names, name) == interpreter.names.end()) {
      interpreter.names.push_back(name);
    }
  }

  const Host& host_;
  const SearchLimits& limits_;
  std::vector<Error>& errors_;
  std::vector<PythonInterpreter> found_;
  std::map<std::string, std::size_t> places_;
};

std::vector<std::string> folders_that_may_hold_conda(const Host& host) {
  std::vector<std::string> places;
  if (!host.home.empty()) {
    places.push_back(host.home);
  }
  if (host.is_windows()) {
    for (const char* name : {"ProgramData", "LOCALAPPDATA"}) {
      if (auto folder = variable_path(host, name)) {
        places.push_back(*std::move(folder));
      }
    }
    for (const char* folder : {"C:\\", "C:\\ProgramData", "C:\\tools"}) {
      places.push_back(path_on_host(host, folder));
    }
  } else {
    places.push_back(host.at("/opt"));
    places.push_back(host.at("/usr/local"));
    places.push_back(host.at("/root"));
  }
  return places;
}

}  // namespace

std::vector<std::string> uv_python_folders(const Host& host) {
  if (const auto named = variable_path(host, "UV_PYTHON_INSTALL_DIR")) {
    return {*named};
  }
  std::vector<std::string> folders;
  if (host.is_windows()) {
    if (const auto roaming = variable_path(host, "APPDATA")) {
      folders = {path_below(*roaming, {"uv", "data", "python"}),
                 path_below(*roaming, {"uv", "python"})};
    }
  } else if (const auto data = variable_path(host, "XDG_DATA_HOME")) {
    folders.push_back(path_below(*data, {"uv", "python"}));
  } else if (!host.home.empty()) {
    folders.push_back(path_below(host.home, {".local", "share", "uv", "python"}));
  }
  return folders;
}

std::vector<std::string> pyenv_version_folders(const Host& host) {
  std::vector<std::string> folders;
  for (const char* name : {"PYENV_ROOT", "PYENV"}) {
    if (const auto root = variable_path(host, name)) {
      folders.push_back(join_path(*root, "versions"));
    }
  }
  if (!host.home.empty()) {
    folders.push_back(host.is_windows() ? path_below(host.home, {".pyenv", "pyenv-win", "versions"})
                                        : path_below(host.home, {".pyenv", "versions"}));
  }
  return folders;
}

std::vector<std::string> conda_roots(const Host& host) {
  std::vector<std::string> roots;
  const auto add = [&](std::string folder) {
    if (!may_be_slow(host, folder) && is_folder(join_path(folder, "conda-meta")) &&
        std::ranges::find(roots, folder) == roots.end()) {
      roots.push_back(std::move(folder));
    }
  };
  for (const char* name : {"CONDA_ROOT", "_CONDA_ROOT", "MAMBA_ROOT_PREFIX"}) {
    if (auto folder = variable_path(host, name)) {
      add(*std::move(folder));
    }
  }
  for (const char* name : {"CONDA_EXE", "_CONDA_EXE", "MAMBA_EXE"}) {
    if (const auto program = variable_path(host, name)) {
      add(std::string(parent_path(parent_path(*program))));
    }
  }
  for (const std::string& place : folders_that_may_hold_conda(host)) {
    for (const std::string_view name : kCondaNames) {
      add(join_path(place, name));
    }
  }
  return roots;
}

std::vector<PythonInterpreter> observe_interpreters(
    const Host& host, const std::vector<FoundEnvironment>& environments, const SearchLimits& limits,
    std::vector<Error>& errors) {
  Collector collector(host, limits, errors);
  if (host.is_windows()) {
    for (PythonInterpreter& found : windows_pythons(host, errors)) {
      collector.add(std::move(found));
    }
    if (const auto local = variable_path(host, "LOCALAPPDATA")) {
      collector.add_children(path_below(*local, {"Programs", "Python"}), "Python",
                             InterpreterKind::folder);
      collector.add_children(join_path(*local, "Python"), "", InterpreterKind::install_manager);
    }
    for (const char* name : {"ProgramFiles", "ProgramFiles(x86)"}) {
      if (const auto folder = variable_path(host, name)) {
        collector.add_children(*folder, "Python", InterpreterKind::folder);
      }
    }
    collector.add_children(path_on_host(host, "C:\\"), "Python", InterpreterKind::folder);
  }
  for (const std::string& folder : pyenv_version_folders(host)) {
    collector.add_children(folder, "", InterpreterKind::pyenv);
  }
  for (const std::string& folder : uv_python_folders(host)) {
    collector.add_children(folder, "", InterpreterKind::uv);
  }
  for (const std::string& root : conda_roots(host)) {
    collector.add_prefix(root, InterpreterKind::conda, root);
  }
  for (const std::string& folder : path_folders(host)) {
    collector.add_programs_in(folder, "PATH");
  }
  if (!host.is_windows()) {
    for (const char* folder : {"/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"}) {
      collector.add_programs_in(host.at(folder), folder);
    }
    collector.add_children(host.at("/opt"), "", InterpreterKind::folder);
  }
  for (const FoundEnvironment& environment : environments) {
    const std::string home = path_on_host(host, environment.home);
    if (environment.kind != FoundKind::venv || home.empty() || may_be_slow(host, home) ||
        !is_absolute_on(host, environment.home)) {
      continue;
    }
    for (const char* name : {"python3", "python", "python.exe"}) {
      if (is_file(join_path(home, name))) {
        collector.add_program(join_path(home, name), InterpreterKind::venv_base,
                              join_path(environment.root, "pyvenv.cfg"));
        break;
      }
    }
  }
  return collector.take();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/python_environments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "observe/condarc.h"
#include "observe/host_paths.h"
#include "observe/python_environment.h"
#include "observe/python_installs.h"
#include "observe/python_program.h"
#include "observe/site_packages.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestList = 4 << 20;  // environments.txt
constexpr std::size_t kMostLines = 10'000;
constexpr std::size_t kLongestPath = 32'767;

bool is_true(std::string_view text) {
  return text.empty() || to_lower_ascii(text) == "true";  // a missing key counts as true
}

bool is_anything(const std::string& path) {
  const auto status = file_status(path);
  return status && status->kind != FileKind::missing;
}

bool holds_python(const std::string& folder) {
  return std::ranges::any_of(std::array{"python3", "python", "python.exe", "pypy3"},
                             [&](const char* name) { return is_file(join_path(folder, name)); });
}

/// Fills what pyvenv.cfg says.
void describe_venv(const Host& host, FoundEnvironment& found) {
  auto config = read_pyvenv_cfg(found.root);
  found.home = config["home"];
  found.system_site_packages = is_true(config["include-system-site-packages"]);
  for (const char* tool : {"uv", "virtualenv"}) {
    if (!config[tool].empty()) {
      found.made_by = tool + (" " + config[tool]);
    }
  }
  // Another system's environment (a venv of Windows seen from Linux) cannot be followed.
  const std::string home = path_on_host(host, found.home);
  if (found.home.empty()) {
    found.broken = BrokenBy::no_home;
  } else if (!is_absolute_on(host, found.home) || home.empty() || may_be_slow(host, home)) {
    found.broken = BrokenBy::nothing;
  } else if (!is_folder(home)) {
    found.broken = BrokenBy::no_home;
  } else if (!holds_python(home)) {
    found.broken = BrokenBy::no_base_python;
  }
  if (found.interpreter.empty() && found.broken == BrokenBy::nothing) {
    found.broken = BrokenBy::no_interpreter;
  }
}

class Finder {
 public:
  Finder(const Host& host, const SearchLimits& limits, std::vector<Error>& errors)
      : host_(host), limits_(limits), errors_(errors) {}

  /// Adds `root` if it is an environment that is not known yet.
  void add(const std::string& root, FoundIn found_in, const std::string& origin) {
    if (full() || (found_in != FoundIn::active && may_be_slow(host_, root))) {
      return;
    }
    const bool config = is_file(join_path(root, "pyvenv.cfg"));
    const bool conda = !config && is_folder(join_path(root, "conda-meta"));
    if ((!config && !conda) || !is_new(root)) {
      return;
    }
    if (found_.size() == limits_.environments) {
      full_ = true;
      errors_.push_back({ErrorCode::limit,
                         "there are more than " + std::to_string(limits_.environments) +
                             " Python environments; the rest was left out",
                         root,
                         {}});
      return;
    }
    FoundEnvironment found;
    found.root = root;
    found.found_in = found_in;
    found.origin = origin;
    found.active = found_in == FoundIn::active;
    if (config && !found.active && may_be_slow(host_, read_pyvenv_cfg(root)["home"])) {
      found.home = read_pyvenv_cfg(root)["home"];  // its base is not looked at
      found_.push_back(std::move(found));
      return;
    }
    const auto environment = environment_at(host_, root, FoundBy::option);
    if (!environment) {
      return;
    }
    found.interpreter = environment->interpreter;
    found.python_version = environment->python_version;
    if (config) {
      describe_venv(host_, found);
    } else {
      const bool pixi = is_anything(path_below(root, {"conda-meta", "pixi"}));
      const bool holds_conda = is_folder(join_path(root, "condabin"));
      found.kind = pixi ? FoundKind::pixi : holds_conda ? FoundKind::conda_root : FoundKind::conda;
    }
    std::vector<std::string> own;
    for (const std::string& site : environment->site_packages) {
      if (site.starts_with(root)) {
        own.push_back(site);
      }
    }
    found.gpu_projects = gpu_projects_in(own);
    found_.push_back(std::move(found));
  }

  /// Adds the environments among the folders of `folder`.
  void add_children(const std::string& folder, FoundIn found_in, std::string_view below = {}) {
    if (folder.empty() || full() || may_be_slow(host_, folder)) {
      return;
    }
    RootTimer timer(limits_, folder, errors_);
    const auto entries = list_directory(folder);
    if (!entries) {
      if (entries.error().code != ErrorCode::not_found) {
        errors_.push_back(Error(entries.error()).in(folder));
      }
      return;
    }
    for (const DirectoryEntry& entry : *entries) {
      if (full() || timer.expired()) {
        return;
      }
      if (entry.kind == FileKind::directory || entry.kind == FileKind::symlink) {
        const std::string child = join_path(folder, entry.name);
        add(below.empty() ? child : join_path(child, below), found_in, folder);
      }
    }
  }

  /// Environments that a list names one by one; all of them together are one root.
  void add_list(const std::vector<std::string>& roots, FoundIn found_in,
                const std::string& origin) {
    RootTimer timer(limits_, origin, errors_);
    for (const std::string& root : roots) {
      if (full() || timer.expired()) {
        return;
      }
      add(root, found_in, origin);
    }
  }

  [[nodiscard]] std::vector<FoundEnvironment> take() { return std::move(found_); }

 private:
  [[nodiscard]] bool full() const { return full_; }

  bool is_new(const std::string& root) {
    const auto status = file_status(root);
    if (status && status->inode != 0) {
      return ids_.emplace(status->device, status->inode).second;
    }
    return paths_.insert(to_lower_ascii(real_path(root))).second;
  }

  const Host& host_;
  const SearchLimits& limits_;
  std::vector<Error>& errors_;
  std::vector<FoundEnvironment> found_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ids_;
  std::set<std::string> paths_;
  bool full_ = false;
};

/// Lines of ~/.conda/environments.txt that may be folders.
std::vector<std::string> noted_by_conda(const Host& host, const std::string& file,
                                        std::vector<Error>& errors) {
  std::vector<std::string> roots;
  const auto text = read_text_file(file, kLongestList);
  if (!text) {
    if (text.error().code != ErrorCode::not_found) {
      errors.push_back(Error(text.error()).in(file));
    }
    return roots;
  }
  for (const std::string_view raw : split(*text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.size() > kLongestPath || line.find('\0') != std::string_view::npos ||
        !is_absolute_on(host, line)) {
      continue;
    }
    if (roots.size() == kMostLines) {
      errors.push_back({ErrorCode::limit, "has too many lines; the rest was left out", file, {}});
      break;
    }
    if (std::string root = path_on_host(host, line); !root.empty()) {
      roots.push_back(std::move(root));
    }
  }
  return roots;
}

void add_active(const Host& host, Finder& finder) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT"}) {
    const auto value = host.set_variable(name);
    if (value && is_absolute_on(host, *value)) {
      finder.add(path_on_host(host, *value), FoundIn::active, name);
    }
  }
}

void add_near(const Host& host, Finder& finder) {
  const std::vector<std::string> folders = folders_above(host, host.current_folder);
  for (const std::string& folder : folders) {
    finder.add(join_path(folder, ".venv"), FoundIn::dot_venv, folder);
    if (&folder == &folders.front()) {
      finder.add(join_path(folder, "venv"), FoundIn::dot_venv, folder);
    }
  }
  for (const std::string& folder : folders) {
    finder.add_children(path_below(folder, {".pixi", "envs"}), FoundIn::pixi);
  }
}

void add_conda(const Host& host, Finder& finder, std::vector<Error>& errors) {
  if (!host.home.empty() && !may_be_slow(host, host.home)) {
    const std::string file = path_below(host.home, {".conda", "environments.txt"});
    finder.add_list(noted_by_conda(host, file, errors), FoundIn::conda_list, file);
  }
  for (const std::string& folder : condarc_list(host, "envs_dirs")) {
    finder.add_children(expanded_path(host, folder), FoundIn::conda_config);
  }
  for (const char* name : {"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"}) {
    for (const std::string& folder : split_path_list(host.set_variable(name).value_or(""))) {
      if (!folder.empty()) {
        finder.add_children(expanded_path(host, folder), FoundIn::conda_config);
      }
    }
  }
  for (const std::string& root : conda_roots(host)) {
    finder.add(root, FoundIn::conda_root, root);
    finder.add_children(join_path(root, "envs"), FoundIn::conda_root);
  }
  if (!host.home.empty()) {
    finder.add_children(path_below(host.home, {".conda", "envs"}), FoundIn::conda_root);
  }
}

/// $NAME, else the first parts below home.
std::string named_or(const Host& host, const char* name, const std::string& usual) {
  return variable_path(host, name).value_or(usual);
}

void add_stores(const Host& host, Finder& finder) {
  const auto work = variable_path(host, "WORKON_HOME");
  if (work) {
    finder.add_children(*work, FoundIn::store_folder);
  }
  const std::string& home = host.home;
  const bool windows = host.is_windows();
  const std::string local = variable_path(host, "LOCALAPPDATA").value_or("");
  const std::string roaming = variable_path(host, "APPDATA").value_or("");
  const std::string data =
      named_or(host, "XDG_DATA_HOME", home.empty() ? "" : path_below(home, {".local", "share"}));
  const std::string cache =
      named_or(host, "XDG_CACHE_HOME", home.empty() ? "" : join_path(home, ".cache"));
  if (!home.empty()) {
    for (const char* name : {".virtualenvs", ".venvs", "Envs", "envs", ".direnv"}) {
      finder.add_children(join_path(home, name), FoundIn::store_folder);
    }
  }
  if (!data.empty()) {
    finder.add_children(join_path(data, "virtualenvs"), FoundIn::pipenv);
  }
  if (const auto poetry = variable_path(host, "POETRY_VIRTUALENVS_PATH")) {
    finder.add_children(*poetry, FoundIn::poetry);
  }
  if (windows && !local.empty()) {
    finder.add_children(path_below(local, {"pypoetry", "Cache", "virtualenvs"}), FoundIn::poetry);
  } else if (!windows && !cache.empty()) {
    finder.add_children(path_below(cache, {"pypoetry", "virtualenvs"}), FoundIn::poetry);
  }
  if (const auto pipx = variable_path(host, "PIPX_HOME")) {
    finder.add_children(join_path(*pipx, "venvs"), FoundIn::pipx);
  }
  if (windows && !local.empty()) {
    finder.add_children(path_below(local, {"pipx", "pipx", "venvs"}), FoundIn::pipx);
  }
  if (!home.empty()) {
    finder.add_children(path_below(home, {".local", "share", "pipx", "venvs"}), FoundIn::pipx);
    finder.add_children(path_below(home, {".local", "pipx", "venvs"}), FoundIn::pipx);
    finder.add_children(path_below(home, {"pipx", "venvs"}), FoundIn::pipx);
  }
  if (const auto tools = variable_path(host, "UV_TOOL_DIR")) {
    finder.add_children(*tools, FoundIn::uv);
  } else if (windows && !roaming.empty()) {
    finder.add_children(path_below(roaming, {"uv", "data", "tools"}), FoundIn::uv);
    finder.add_children(path_below(roaming, {"uv", "tools"}), FoundIn::uv);
  } else if (!windows && !data.empty()) {
    finder.add_children(path_below(data, {"uv", "tools"}), FoundIn::uv);
  }
  for (const std::string& versions : pyenv_version_folders(host)) {
    finder.add_children(versions, FoundIn::store_folder);  // pyenv-virtualenv
  }
  if (!windows) {
    finder.add_children(host.at("/opt/pipx/venvs"), FoundIn::pipx);
    finder.add_children(host.at("/opt"), FoundIn::folder);
    finder.add_children(host.at("/opt"), FoundIn::folder, ".venv");
  }
}

}  // namespace

std::vector<FoundEnvironment> observe_environments(const Host& host, const SearchLimits& limits,
                                                   std::vector<Error>& errors) {
  if (!host.home.empty() && may_be_slow(host, host.home)) {
    errors.push_back({ErrorCode::unsupported,
                      "lies on a network drive; environments there were not looked for",
                      host.home,
                      {}});
  }
  Finder finder(host, limits, errors);
  add_active(host, finder);
  add_near(host, finder);
  add_conda(host, finder, errors);
  add_stores(host, finder);
  return finder.take();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/python_environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/version.h"
#include "observe/site_packages.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr int kMostParents = 64;

bool is_thing(const std::string& folder, std::string_view name) {
  const auto status = file_status(join_path(folder, name));
  return status && status->kind != FileKind::missing;
}

bool holds_distributions(const std::string& folder) {
  const auto entries = list_directory(folder);
  return entries && std::ranges::any_of(*entries, [](const DirectoryEntry& entry) {
           return entry.name.ends_with(".dist-info") || entry.name.ends_with(".egg-info");
         });
}

std::string interpreter_of(const std::string& root) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kPlaces = {{{"bin", "python"},
                                                                       {"bin", "python3"},
                                                                       {"Scripts", "python.exe"},
                                                                       {"", "python.exe"},
                                                                       {"bin", "python.exe"},
                                                                       {"", "python3.exe"}}};
  for (const auto& [folder, name] : kPlaces) {
    const std::string path = join_path(folder.empty() ? root : join_path(root, folder), name);
    if (is_file(path)) {
      return path;
    }
  }
  return {};
}

/// `interpreter` is "" to look for it in the usual places.
std::optional<PythonEnvironment> make_environment(const Host& host, const std::string& folder,
                                                  FoundBy found_by, std::string interpreter) {
  PythonEnvironment environment;
  environment.found_by = found_by;
  environment.root = folder;
  if (is_file(join_path(folder, "pyvenv.cfg"))) {
    environment.kind = EnvironmentKind::venv;
  } else if (is_folder(join_path(folder, "conda-meta"))) {
    environment.kind = EnvironmentKind::conda;
  } else if (!posix_python(folder).empty() ||
             is_folder(join_path(join_path(folder, "Lib"), "site-packages"))) {
    environment.kind = EnvironmentKind::system;
  } else if (found_by == FoundBy::option && holds_distributions(folder)) {
    environment.kind = EnvironmentKind::folder;
    environment.system = host.system;
    environment.site_packages = {folder};
    environment.python_version = Fact<std::string>::absent(folder);
    return environment;
  } else {
    return std::nullopt;
  }
  environment.interpreter = interpreter.empty() ? interpreter_of(folder) : std::move(interpreter);
  describe_environment(host, environment);
  return environment;
}

/// The environment that an interpreter belongs to by where it lies: ROOT/bin/python,
/// ROOT/Scripts/python.exe or ROOT/python.exe.
std::optional<PythonEnvironment> environment_of(const Host& host, const std::string& interpreter,
                                                FoundBy found_by) {
  const std::string folder(parent_path(interpreter));
  const std::string name = to_lower_ascii(file_name(folder));
  if (name == "bin" || name == "scripts") {
    auto environment =
        make_environment(host, std::string(parent_path(folder)), found_by, interpreter);
    if (environment) {
      return environment;
    }
  }
  return make_environment(host, folder, found_by, interpreter);
}

std::string first_word(const Result<std::string>& text) {
  if (!text) {
    return {};
  }
  const std::string_view line = trim(std::string_view(*text).substr(0, text->find('\n')));
  return std::string(line.substr(0, line.find_first_of(" \t\r:")));
}

/// pyenv puts scripts named python on PATH and decides at each start: by variable, by a file in
/// this folder or above, else by its own file. "" = the system's Python.
std::string pyenv_version(const Host& host, const std::string& root) {
  std::string version = host.set_variable("PYENV_VERSION").value_or("");
  version.resize(std::min(version.find(':'), version.size()));
  std::string folder = host.current_folder;
  for (int i = 0; version.empty() && !folder.empty() && i < kMostParents; ++i) {
    version = first_word(read_text_file(join_path(folder, ".python-version")));
    folder = parent_path(folder);
  }
  if (version.empty()) {
    version = first_word(read_text_file(join_path(root, "version")));
  }
  return version == "system" ? std::string{} : version;
}

/// "3.11" may stand for versions/3.11.9.
std::string pyenv_folder(const std::string& root, const std::string& version) {
  const std::string versions = join_path(root, "versions");
  if (version.empty() || version.find_first_of("/\\") != std::string::npos) {
    return {};
  }
  if (is_folder(join_path(versions, version))) {
    return join_path(versions, version);
  }
  std::string best;
  if (const auto entries = list_directory(versions)) {
    for (const DirectoryEntry& entry : *entries) {
      const auto candidate = Version::parse(entry.name);
      if (candidate && entry.name.starts_with(version + ".") &&
          (best.empty() || *Version::parse(best) < *candidate)) {
        best = entry.name;
      }
    }
  }
  return best.empty() ? best : join_path(versions, best);
}

/// The Store's Python keeps its packages below the user's profile; its program is a link that only
/// Windows itself can follow.
std::optional<PythonEnvironment> store_environment(const Host& host, const std::string& folder) {
  const auto entries = list_directory(folder);
  const auto local = host.set_variable("LOCALAPPDATA");
  if (!entries || !local) {
    return std::nullopt;
  }
  constexpr std::string_view kPrefix = "PythonSoftwareFoundation.Python.";
  std::string family;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.starts_with(kPrefix)) {
      family = entry.name;  // sorted: the last is the newest of one digit count
    }
  }
  if (family.empty()) {
    return std::nullopt;
  }
  PythonEnvironment environment;
  environment.kind = EnvironmentKind::store;
  environment.system = "windows";
  environment.interpreter = join_path(folder, "python.exe");
  const std::string version = family.substr(
      kPrefix.size(), family.find('_') == std::string::npos ? std::string::npos
                                                            : family.find('_') - kPrefix.size());
  environment.python_version = Fact<std::string>::present(version, join_path(folder, family));
  std::string digits = version;
  std::erase(digits, '.');
  environment.root = *local;
  for (const std::string& part : {std::string("Packages"), family, std::string("LocalCache"),
                                  std::string("local-packages")}) {
    environment.root = join_path(environment.root, part);
  }
  const std::string site =
      join_path(join_path(environment.root, "Python" + digits), "site-packages");
  if (is_folder(site)) {
    environment.site_packages.push_back(site);
  }
  return environment;
}

class PathSearch {
 public:
  explicit PathSearch(const Host& host) : host_(host) {
    for (const std::string& folder : split_path_list(host.set_variable("PATH").value_or(""))) {
      if (!folder.empty()) {
        folders_.push_back(host.at(folder));
      }
    }
  }

  [[nodiscard]] std::optional<PythonEnvironment> find() {
    const std::array<std::string, 2> names =
        host_.is_windows() ? std::array<std::string, 2>{"python.exe", "python3.exe"}
                           : std::array<std::string, 2>{"python", "python3"};
    for (const std::string& name : names) {
      for (const std::string& folder : folders_) {
        if (auto environment = look_in(folder, name)) {
          return environment;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool store_stub() const { return store_stub_; }

 private:
  std::optional<PythonEnvironment> look_in(const std::string& folder, const std::string& name) {
    if (file_name(folder) == "shims") {
      // pyenv, and pyenv-win, whose shims are .bat files.
      if (is_thing(std::string(parent_path(folder)), "versions")) {
        return through_shims(std::string(parent_path(folder)));
      }
    }
    const std::string path = join_path(folder, name);
    const auto itself = file_status(path, Links::keep);
    if (!itself || itself->kind == FileKind::missing || itself->kind == FileKind::directory) {
      return std::nullopt;
    }
    if (host_.is_windows() && to_lower_ascii(file_name(folder)) == "windowsapps" &&
        (itself->kind == FileKind::symlink || itself->size == 0)) {
      auto environment = store_environment(host_, folder);
      store_stub_ = store_stub_ || !environment;
      return environment;
    }
    if (auto environment = environment_of(host_, path, FoundBy::path)) {
      // /usr/bin/python3 is a link to python3.11 beside it, ~/.local/bin/python to anywhere.
      const std::string real = real_path(path);
      auto behind = environment->kind == EnvironmentKind::system && real != path
                        ? environment_of(host_, real, FoundBy::path)
                        : std::nullopt;
      return behind ? behind : environment;
    }
    return environment_of(host_, real_path(path), FoundBy::path);
  }

  std::optional<PythonEnvironment> through_shims(const std::string& root) {
    const std::string folder = pyenv_folder(root, pyenv_version(host_, root));
    return folder.empty() ? std::nullopt : environment_at(host_, folder, FoundBy::path);
  }

  const Host& host_;
  std::vector<std::string> folders_;
  bool store_stub_ = false;
};

bool same_folder(const Host& host, const std::string& left, const std::string& right) {
  std::string a = real_path(left);
  std::string b = real_path(right);
  if (host.is_windows()) {
    a = to_lower_ascii(a);
    b = to_lower_ascii(b);
  }
  return a == b;
}

std::optional<PythonEnvironment> by_dot_venv(const Host& host) {
  std::string folder = host.current_folder;
  for (int i = 0; !folder.empty() && i < kMostParents; ++i) {
    const std::string candidate = join_path(folder, ".venv");
    if (is_file(join_path(candidate, "pyvenv.cfg"))) {
      return environment_at(host, candidate, FoundBy::dot_venv);
    }
    folder = parent_path(folder);
  }
  return std::nullopt;
}

bool is_conda_base(const Host& host, const std::string& prefix) {
  const std::string name = host.set_variable("CONDA_DEFAULT_ENV").value_or("");
  return name == "base" || name == "root" || is_thing(prefix, "condabin");
}

/// Steps 2 to 5, without PATH.
std::optional<PythonEnvironment> by_variables(const Host& host) {
  if (const auto folder = host.set_variable("VIRTUAL_ENV")) {
    if (auto environment = environment_at(host, host.at(*folder), FoundBy::virtual_env)) {
      return environment;
    }
  }
  std::optional<PythonEnvironment> base;
  if (const auto prefix = host.set_variable("CONDA_PREFIX")) {
    auto environment = environment_at(host, host.at(*prefix), FoundBy::conda_prefix);
    if (environment && !is_conda_base(host, host.at(*prefix))) {
      return environment;
    }
    base = std::move(environment);
  }
  auto dot_venv = by_dot_venv(host);
  return dot_venv ? dot_venv : base;
}

PythonSearch search_option(const Host& host, const std::string& option) {
  std::string path = option;
  while (path.size() > 1 && (path.back() == '/' || path.back() == path_separator())) {
    path.pop_back();
  }
  std::optional<PythonEnvironment> environment;
  if (is_file(path)) {
    environment = environment_of(host, path, FoundBy::option);
  } else {
    environment = environment_at(host, path, FoundBy::option);
  }
  PythonSearch search;
  if (environment) {
    search.environment = Fact<PythonEnvironment>::present(*std::move(environment), "--env");
    return search;
  }
  const auto status = file_status(path);
  Error error{ErrorCode::not_found, "no such folder", option, {}};
  if (!status) {
    error = status.error();
  } else if (status->kind != FileKind::missing) {
    error = {ErrorCode::unsupported, "is no Python environment", option, {}};
  }
  error.where = option;
  search.environment = Fact<PythonEnvironment>::unreadable(std::move(error), "--env");
  return search;
}

}  // namespace

std::optional<PythonEnvironment> environment_at(const Host& host, const std::string& folder,
                                                FoundBy found_by) {
  return make_environment(host, folder, found_by, {});
}

PythonSearch find_python_environment(const Host& host, const std::string& option) {
  if (!option.empty()) {
    return search_option(host, option);
  }
  PythonSearch search;
  PathSearch on_path(host);
  const auto by_path = on_path.find();
  search.store_stub = on_path.store_stub();
  if (auto environment = by_variables(host)) {
    const bool activated = environment->found_by != FoundBy::dot_venv;
    if (activated && by_path && !same_folder(host, by_path->root, environment->root)) {
      environment->path_python =
          by_path->interpreter.empty() ? by_path->root : by_path->interpreter;
    }
    const std::string root = environment->root;
    search.environment = Fact<PythonEnvironment>::present(*std::move(environment), root);
  } else if (by_path) {
    search.environment = Fact<PythonEnvironment>::present(*by_path, by_path->root);
  } else {
    search.environment = Fact<PythonEnvironment>::absent("PATH");
  }
  return search;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/site_packages.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

std::string below(const std::string& folder, std::initializer_list<std::string_view> parts) {
  std::string path = folder;
  for (const std::string_view part : parts) {
    path = join_path(path, part);
  }
  return path;
}

bool is_number(std::string_view text) {
  return parse_decimal(text).has_value();
}

/// `#define PY_VERSION "3.12.8"` of the headers that most installations bring.
std::string version_of_patchlevel(const std::string& path) {
  const auto text = read_text_start(path, 4096);
  constexpr std::string_view kDefine = "#define PY_VERSION";
  const std::size_t at = text ? text->find(kDefine) : std::string::npos;
  if (at == std::string::npos) {
    return {};
  }
  const std::string_view rest = std::string_view(*text).substr(at);
  const std::size_t open = rest.find('"');
  const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
  return close == std::string_view::npos || close - open > 20
             ? std::string{}
             : std::string(rest.substr(open + 1, close - open - 1));
}

/// "python-3.12.8-h9e4cc4f_1_cpython.json" -> "3.12.8".
std::string version_of_conda_meta(const std::string& root) {
  const auto entries = list_directory(join_path(root, "conda-meta"));
  if (entries) {
    for (const DirectoryEntry& entry : *entries) {
      const auto parts = split(entry.name, '-');
      if (parts.size() == 3 && parts[0] == "python" && Version::parse(parts[1])) {
        return std::string(parts[1]);
      }
    }
  }
  return {};
}

/// "3.12" of python312.dll beside the interpreter.
std::string version_of_dll(const std::string& folder) {
  const auto entries = list_directory(folder);
  if (entries) {
    for (const DirectoryEntry& entry : *entries) {
      const std::string name = to_lower_ascii(entry.name);
      if (name.ends_with(".dll") && name != "python3.dll") {
        if (const std::string version = python_of_name(name.substr(0, name.size() - 4));
            !version.empty()) {
          return version;
        }
      }
    }
  }
  return {};
}

/// "3.12.8" -> "3.12".
std::string major_minor(std::string_view version) {
  const std::size_t first = version.find('.');
  const std::size_t second = first == std::string_view::npos ? first : version.find('.', first + 1);
  return std::string(version.substr(0, second));
}

/// "3.12.3.final.0" (virtualenv) -> "3.12.3".
std::string plain_version(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '.')) {
    if (!is_number(part) || parts.size() == 3) {
      break;
    }
    parts.emplace_back(part);
  }
  return join(parts, ".");
}

constexpr std::uint64_t kLongestPth = 256 << 10;
constexpr std::size_t kMostFolders = 1000;

class SiteFolders {
 public:
  SiteFolders(const Host& host, PythonEnvironment& environment)
      : host_(host), environment_(environment) {}

  /// A folder of packages; what its .pth files name follows it, as in Python's site module.
  void add(const std::string& folder) {
    if (!add_plain(folder)) {
      return;
    }
    const auto entries = list_directory(folder);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      if (entry.name.ends_with(".pth") && !entry.name.starts_with('.')) {
        add_named_in(folder, join_path(folder, entry.name));
      }
    }
  }

  /// One of PYTHONPATH: its .pth files do not count.
  bool add_plain(const std::string& folder) {
    if (!is_folder(folder) || environment_.site_packages.size() >= kMostFolders) {
      return false;
    }
    // lib64 is often a link to lib.
    const std::string real = real_path(folder);
    if (std::ranges::find(seen_, real) != seen_.end()) {
      return false;
    }
    seen_.push_back(real);
    environment_.site_packages.push_back(folder);
    return true;
  }

 private:
  void add_named_in(const std::string& folder, const std::string& file) {
    const auto text = read_text_file(file, kLongestPth);
    if (!text) {
      return;
    }
    for (const std::string_view raw : split(*text, '\n')) {
      const std::string_view line = trim(raw);
      if (line.empty() || line.starts_with('#') || line.starts_with("import ") ||
          line.starts_with("import\t")) {
        continue;
      }
      const bool absolute =
          line.starts_with('/') || line.starts_with('\\') || (line.size() > 1 && line[1] == ':');
      add_plain(absolute ? host_.at(line) : join_path(folder, line));
    }
  }

  const Host& host_;
  PythonEnvironment& environment_;
  std::vector<std::string> seen_;
};

void add_own_folders(SiteFolders& folders, const std::string& root, const std::string& system,
                     const std::string& python) {
  if (system == "windows") {
    folders.add(below(root, {"Lib", "site-packages"}));
    return;
  }
  for (const char* kind : {"python", "pypy"}) {
    const std::string name = kind + python;
    folders.add(below(root, {"lib", name, "site-packages"}));
    folders.add(below(root, {"lib64", name, "site-packages"}));
  }
}

/// The folders of an installation that is no venv; Debian's own Python has other names for them.
void add_base_folders(SiteFolders& folders, const Host& host, const std::string& root,
                      const std::string& system, const std::string& python) {
  if (system == "linux" && root == host.at("/usr")) {
    folders.add(host.at("/usr/local/lib/python" + python + "/dist-packages"));
    folders.add(host.at("/usr/lib/python3/dist-packages"));
    folders.add(host.at("/usr/lib/python" + python + "/dist-packages"));
    folders.add(host.at("/usr/local/lib/python" + python + "/site-packages"));
  }
  add_own_folders(folders, root, system, python);
}

void add_user_folder(SiteFolders& folders, const Host& host, const std::string& system,
                     const std::string& python) {
  if (host.set_variable("PYTHONNOUSERSITE")) {
    return;
  }
  std::string digits = python;
  std::erase(digits, '.');
  const auto base = host.set_variable("PYTHONUSERBASE");
  if (system == "windows") {
    const auto roaming = host.set_variable("APPDATA");
    if (base || roaming) {
      const std::string folder = base ? *base : join_path(*roaming, "Python");
      folders.add(below(folder, {"Python" + digits, "site-packages"}));
    }
  } else if (base || !host.home.empty()) {
    const std::string folder = base ? *base : join_path(host.home, ".local");
    folders.add(below(folder, {"lib", "python" + python, "site-packages"}));
  }
}

/// The prefix of the installation that a venv was made from.
std::string base_of_venv(const std::string& home, const std::string& system) {
  return system == "windows" ? home : std::string(parent_path(home));
}

}  // namespace

std::string python_of_name(std::string_view name) {
  for (const std::string_view kind : {"python", "pypy"}) {
    if (!name.starts_with(kind)) {
      continue;
    }
    std::string_view rest = name.substr(kind.size());
    if (rest.ends_with('t')) {  // free-threaded
      rest.remove_suffix(1);
    }
    const std::size_t dot = rest.find('.');
    if (dot != std::string_view::npos) {
      const bool fits_form = is_number(rest.substr(0, dot)) && is_number(rest.substr(dot + 1));
      return fits_form ? std::string(name.substr(kind.size())) : std::string{};
    }
    return rest.size() >= 2 && rest.size() <= 3 && is_number(rest)
               ? std::string(rest.substr(0, 1)) + "." + std::string(rest.substr(1))
               : std::string{};
  }
  return {};
}

std::map<std::string, std::string> read_pyvenv_cfg(const std::string& root) {
  std::map<std::string, std::string> values;
  const auto text = read_text_file(join_path(root, "pyvenv.cfg"), 64 << 10);
  if (!text) {
    return values;
  }
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      values.emplace(to_lower_ascii(trim(line.substr(0, equals))), trim(line.substr(equals + 1)));
    }
  }
  return values;
}

std::string posix_python(const std::string& root, std::string_view wanted) {
  const auto entries = list_directory(join_path(root, "lib"));
  std::string best;
  if (!entries) {
    return best;
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string version = python_of_name(entry.name);
    if (version.find('.') == std::string::npos || entry.name.find('.') == std::string::npos) {
      continue;
    }
    if (!wanted.empty() && version == wanted) {
      return version;
    }
    const auto number = [](std::string text) {
      std::erase(text, 't');
      return Version::parse(text).value_or(Version{});
    };
    if (best.empty() || number(best) < number(version)) {
      best = version;
    }
  }
  return best;
}

void describe_environment(const Host& host, PythonEnvironment& environment) {
  const std::string& root = environment.root;
  const auto config = environment.kind == EnvironmentKind::venv
                          ? read_pyvenv_cfg(root)
                          : std::map<std::string, std::string>{};
  const auto value = [&config](const char* key) {
    const auto hit = config.find(key);
    return hit == config.end() ? std::string{} : hit->second;
  };
  std::string told = plain_version(value("version_info"));
  std::string origin = "pyvenv.cfg";
  if (told.empty()) {
    told = plain_version(value("version"));
  }
  const std::string real_name(file_name(real_path(environment.interpreter)));
  const std::string by_name = python_of_name(real_name);
  const std::string wanted = !told.empty() ? major_minor(told) : by_name;
  const std::string posix = posix_python(root, wanted);
  environment.system = posix.empty() && is_folder(join_path(root, "Lib")) ? "windows" : "linux";
  std::string python = posix;
  if (environment.system == "windows") {
    python = !told.empty() ? major_minor(told) : version_of_dll(root);
  }
  if (told.empty() && environment.kind == EnvironmentKind::conda) {
    told = version_of_conda_meta(root);
    origin = "conda-meta";
    python = python.empty() ? major_minor(told) : python;
  }
  if (told.empty()) {
    const std::string include = join_path(root, "include");
    origin =
        join_path(environment.system == "windows" ? include : join_path(include, "python" + python),
                  "patchlevel.h");
    told = version_of_patchlevel(origin);
  }
  if (told.empty()) {
    told = python;
    origin = environment.system == "windows" ? root : below(root, {"lib", "python" + python});
  }
  environment.python_version =
      told.empty() ? Fact<std::string>::absent(root) : Fact<std::string>::present(told, origin);

  SiteFolders folders(host, environment);
  for (const std::string& folder : split_path_list(host.set_variable("PYTHONPATH").value_or(""))) {
    if (!folder.empty() && environment.found_by != FoundBy::option) {
      folders.add_plain(folder);
    }
  }
  const std::string& system = environment.system;
  if (environment.kind != EnvironmentKind::venv) {
    add_user_folder(folders, host, system, python);
    add_base_folders(folders, host, root, system, python);
    return;
  }
  add_own_folders(folders, root, system, python);
  // A missing key counts as true, for Python as well.
  const std::string shared = value("include-system-site-packages");
  if (shared.empty() || to_lower_ascii(shared) == "true") {
    add_user_folder(folders, host, system, python);
    const std::string home = value("home");
    if (!home.empty()) {
      add_base_folders(folders, host, base_of_venv(host.at(home), system), system, python);
    }
  }
}

}  // namespace plumb

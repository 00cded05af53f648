// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_pythons.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "observe/host_paths.h"
#include "observe/python_installs.h"
#include "observe/python_program.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kPythonKeys = {
    "HKCU\\Software\\Python", "HKLM\\SOFTWARE\\Python", "HKLM\\SOFTWARE\\WOW6432Node\\Python"};
constexpr std::size_t kMostKeys = 200;  // companies, and tags of each
constexpr std::string_view kStorePrefix = "PythonSoftwareFoundation.Python.";
constexpr std::string_view kAppModel =
    "HKCU\\Software\\Classes\\Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\"
    "AppModel\\";

std::string without_end(std::string path) {
  while (path.size() > 3 && (path.ends_with('\\') || path.ends_with('/'))) {
    path.pop_back();
  }
  return path;
}

/// The text of a value, "" if it is not there; one of another type is an error.
std::string text_of(const Host& host, const std::string& key, const std::string& name,
                    std::vector<Error>& errors) {
  auto fact = registry_text(*host.registry, key, name);
  if (fact.fault) {
    errors.push_back(std::move(*fact.fault).in(fact.origin));
  }
  return fact.value.value_or(std::string{});
}

void add_registered(const Host& host, const std::string& key, PythonInterpreter found,
                    std::vector<PythonInterpreter>& list, std::vector<Error>& errors) {
  const std::string place = key + "\\InstallPath";
  const std::string folder =
      without_end(expand_variables(text_of(host, place, "", errors), host.variable));
  std::string program =
      expand_variables(text_of(host, place, "ExecutablePath", errors), host.variable);
  if (program.empty() && !folder.empty()) {  // PythonCore up to 3.5 names the folder only
    program = folder + "\\python.exe";
  }
  if (program.empty()) {
    return;
  }
  found.origin = key;
  const std::string version = text_of(host, key, "Version", errors);
  const std::string short_version = text_of(host, key, "SysVersion", errors);
  if (!version.empty() || !short_version.empty()) {
    found.version = Fact<std::string>::present(version.empty() ? short_version : version, key);
  }
  const std::string architecture = text_of(host, key, "SysArchitecture", errors);
  found.bits = architecture == "32bit" ? 32 : architecture == "64bit" ? 64 : 0;
  found.path = program;
  if (to_lower_ascii(program).find("\\windowsapps\\") != std::string::npos) {
    found.kind = InterpreterKind::store;  // not readable for users
    list.push_back(std::move(found));
    return;
  }
  const std::string here = path_on_host(host, program);
  if (!here.empty() && !may_be_slow(host, here)) {
    found.path = here;
    found.stale = !is_file(here);
    if (!folder.empty() && !found.stale) {
      found.prefix = path_on_host(host, folder);
    }
  }
  list.push_back(std::move(found));
}

void add_registry(const Host& host, std::vector<PythonInterpreter>& list,
                  std::vector<Error>& errors) {
  for (const std::string_view root : kPythonKeys) {
    auto companies = registry_subkeys(*host.registry, std::string(root));
    companies.resize(std::min(companies.size(), kMostKeys));
    for (const std::string& company : companies) {
      if (to_lower_ascii(company) == "pylauncher") {
        continue;
      }
      const std::string company_key = std::string(root) + "\\" + company;
      auto tags = registry_subkeys(*host.registry, company_key);
      tags.resize(std::min(tags.size(), kMostKeys));
      for (const std::string& tag : tags) {
        PythonInterpreter found;
        found.kind = InterpreterKind::registry;
        found.company = company;
        found.tag = tag;
        add_registered(host, company_key + "\\" + tag, std::move(found), list, errors);
      }
    }
  }
}

/// The Store keeps programs where users may not look; the registry tells the folder, its name the
/// machine.
void describe_store(const Host& host, const std::string& family, PythonInterpreter& found) {
  const std::string base(kAppModel);
  const auto full = registry_text(*host.registry, base + "SystemAppData\\" + family + "\\Schemas",
                                  "PackageFullName");
  if (!full) {
    return;
  }
  if (full.value->find("_x64_") != std::string::npos) {
    found.bits = 64;
    found.machine = Fact<std::string>::present("x86_64", full.origin);
  } else if (full.value->find("_arm64_") != std::string::npos) {
    found.bits = 64;
    found.machine = Fact<std::string>::present("aarch64", full.origin);
  } else if (full.value->find("_x86_") != std::string::npos) {
    found.bits = 32;
    found.machine = Fact<std::string>::present("i386", full.origin);
  }
  found.prefix = registry_text(*host.registry, base + "Repository\\Packages\\" + *full.value,
                               "PackageRootFolder")
                     .value.value_or(std::string{});
}

void add_store(const Host& host, std::vector<PythonInterpreter>& list) {
  const auto local = variable_path(host, "LOCALAPPDATA");
  if (!local) {
    return;
  }
  const std::string apps = path_below(*local, {"Microsoft", "WindowsApps"});
  const auto entries = list_directory(apps);
  for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
    PythonInterpreter found;
    found.origin = apps;
    if (entry.name.starts_with(kStorePrefix)) {
      found.kind = InterpreterKind::store;
      found.path = path_below(apps, {entry.name, "python.exe"});
      const std::size_t begin = kStorePrefix.size();
      const std::size_t end = entry.name.find('_', begin);
      const std::string version = entry.name.substr(begin, end - begin);
      found.version = Fact<std::string>::present(version, join_path(apps, entry.name));
      describe_store(host, entry.name, found);
      std::string digits = version;
      std::erase(digits, '.');
      found.gpu_projects = gpu_projects_in(
          {path_below(*local, {"Packages", entry.name, "LocalCache", "local-packages",
                               "Python" + digits, "site-packages"})});
    } else if (is_python_name(entry.name, true)) {
      found.kind = InterpreterKind::alias_stub;
      found.path = join_path(apps, entry.name);
    } else {
      continue;
    }
    list.push_back(std::move(found));
  }
}

std::vector<std::string> launcher_folders(const Host& host) {
  std::vector<std::string> folders = {path_on_host(host, "C:\\Windows")};
  if (host.root.empty()) {
    folders.front() = variable_path(host, "SystemRoot").value_or(folders.front());
  }
  if (const auto local = variable_path(host, "LOCALAPPDATA")) {
    folders.push_back(path_below(*local, {"Programs", "Python", "Launcher"}));
    folders.push_back(path_below(*local, {"Python", "bin"}));
  }
  return folders;
}

void add_launchers(const Host& host, std::vector<PythonInterpreter>& list) {
  for (const std::string& folder : launcher_folders(host)) {
    const std::string path = join_path(folder, "py.exe");
    if (is_file(path)) {
      PythonInterpreter found;
      found.kind = InterpreterKind::launcher;
      found.path = path;
      found.origin = folder;
      list.push_back(std::move(found));
    }
  }
}

/// `python` of section [defaults].
std::string default_in_ini(std::string_view text) {
  bool in_defaults = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with('[')) {
      in_defaults = to_lower_ascii(line) == "[defaults]";
      continue;
    }
    const std::size_t equals = line.find('=');
    if (in_defaults && equals != std::string_view::npos &&
        to_lower_ascii(trim(line.substr(0, equals))) == "python") {
      return std::string(trim(line.substr(equals + 1)));
    }
  }
  return {};
}

}  // namespace

std::vector<PythonInterpreter> windows_pythons(const Host& host, std::vector<Error>& errors) {
  std::vector<PythonInterpreter> list;
  add_registry(host, list, errors);
  add_store(host, list);
  add_launchers(host, list);
  return list;
}

Fact<std::string> observe_launcher_default(const Host& host) {
  if (!host.is_windows()) {
    return {};
  }
  if (auto named = host.set_variable("PY_PYTHON")) {
    return Fact<std::string>::present(*std::move(named), "PY_PYTHON");
  }
  std::vector<std::string> files;
  if (const auto local = variable_path(host, "LOCALAPPDATA")) {
    files.push_back(join_path(*local, "py.ini"));
  }
  for (const std::string& folder : launcher_folders(host)) {
    files.push_back(join_path(folder, "py.ini"));
  }
  for (const std::string& file : files) {
    const auto text = read_text_file(file, 64 << 10);
    if (!text) {
      if (text.error().code != ErrorCode::not_found) {
        return Fact<std::string>::unreadable(Error(text.error()).in(file), file);
      }
      continue;
    }
    if (std::string named = default_in_ini(*text); !named.empty()) {
      return Fact<std::string>::present(std::move(named), file);
    }
  }
  return Fact<std::string>::absent("py.ini");
}

}  // namespace plumb

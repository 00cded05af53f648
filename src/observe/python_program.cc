// SPDX-License-Identifier: Apache-2.0
#include "observe/python_program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "binary/pe.h"
#include "binary/wheel.h"
#include "observe/distributions.h"
#include "observe/host_paths.h"
#include "observe/site_packages.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::size_t kMostProjects = 1000;

std::string machine_of_elf(std::uint16_t id) {
  switch (id) {
    case 3:
      return "i386";
    case 21:
      return "ppc64le";
    case 40:
      return "arm";
    case 62:
      return "x86_64";
    case 183:
      return "aarch64";
    case 243:
      return "riscv64";
    case 258:
      return "loongarch";
    default:
      return "machine " + std::to_string(id);
  }
}

void read_machine(PythonInterpreter& interpreter) {
  const std::string& path = interpreter.path;
  const auto start = read_text_start(path, 20);
  if (!start) {
    interpreter.machine = start.error().code == ErrorCode::not_found
                              ? Fact<std::string>::absent(path)
                              : Fact<std::string>::unreadable(Error(start.error()).in(path), path);
    return;
  }
  if (start->size() == 20 && start->starts_with("\x7f"
                                                "ELF")) {
    const bool big_endian = (*start)[5] == 2;
    const auto low = static_cast<std::uint8_t>((*start)[big_endian ? 19 : 18]);
    const auto high = static_cast<std::uint8_t>((*start)[big_endian ? 18 : 19]);
    interpreter.bits = (*start)[4] == 1 ? 32 : 64;
    interpreter.machine = Fact<std::string>::present(
        machine_of_elf(static_cast<std::uint16_t>(high << 8 | low)), path);
    return;
  }
  if (start->starts_with("MZ")) {
    const auto file = open_file(path);
    const auto pe = file ? read_pe(**file, {}) : Result<PeFile>(std::unexpected(file.error()));
    if (!pe) {
      interpreter.machine = Fact<std::string>::unreadable(Error(pe.error()).in(path), path);
      return;
    }
    interpreter.bits = pe->plus ? 64 : 32;
    interpreter.machine = Fact<std::string>::present(pe->machine, path);
    return;
  }
  // A script that stands in for Python (pyenv's shim, a wrapper).
  interpreter.machine = Fact<std::string>::absent(path);
}

/// "3.12.4" by python312.dll's version resource 3.12.4150.1013 (micro * 1000 + level * 10 +
/// serial, CPython: PC/python_ver_rc.h), else "3.12" by its name.
Fact<std::string> version_of_dll(const std::string& prefix) {
  const auto entries = list_directory(prefix);
  if (!entries) {
    return Fact<std::string>::absent(prefix);
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string name = to_lower_ascii(entry.name);
    const std::string by_name =
        name.ends_with(".dll") ? python_of_name(std::string_view(name).substr(0, name.size() - 4))
                               : std::string{};
    if (by_name.empty()) {
      continue;
    }
    const std::string path = join_path(prefix, entry.name);
    const auto file = open_file(path);
    const auto pe = file ? read_pe(**file, {}) : Result<PeFile>(std::unexpected(file.error()));
    const auto version = pe && pe->file_version ? Version::parse(*pe->file_version) : std::nullopt;
    if (version && version->part(2) >= 10 &&
        by_name.starts_with(std::to_string(version->major()))) {
      return Fact<std::string>::present(
          by_name.substr(0, by_name.find('t')) + "." + std::to_string(version->part(2) / 1000),
          path);
    }
    return Fact<std::string>::present(by_name, path);
  }
  return Fact<std::string>::absent(prefix);
}

bool has_micro(const Fact<std::string>& version) {
  return version && std::ranges::count(*version.value, '.') >= 2;
}

/// Of two facts the one that says more.
void keep_better(Fact<std::string>& version, Fact<std::string> other) {
  if (other && !has_micro(version) && (!version || has_micro(other))) {
    version = std::move(other);
  }
}

bool is_marked(const std::string& prefix, const std::string& version) {
  const std::size_t dot = version.find('.');
  const std::string short_version = version.substr(0, version.find('.', dot + 1));
  return is_file(path_below(prefix, {"lib", "python" + short_version, "EXTERNALLY-MANAGED"})) ||
         is_file(path_below(prefix, {"Lib", "EXTERNALLY-MANAGED"}));
}

}  // namespace

bool is_python_name(std::string_view name, bool windows) {
  if (windows) {
    if (!ends_with_nocase(name, ".exe")) {
      return false;
    }
    name.remove_suffix(4);
  }
  const std::string lower = windows ? to_lower_ascii(name) : std::string(name);
  for (const std::string_view kind : {"python", "pypy"}) {
    if (lower.starts_with(kind)) {
      std::string_view rest = std::string_view(lower).substr(kind.size());
      if (rest.ends_with('t') && rest.size() > 1) {
        rest.remove_suffix(1);
      }
      return rest.find_first_not_of("0123456789.") == std::string_view::npos;
    }
  }
  return false;
}

std::string prefix_of_program(const std::string& program) {
  const std::string folder(parent_path(program));
  const std::string name = to_lower_ascii(file_name(folder));
  return name == "bin" || name == "scripts" ? std::string(parent_path(folder)) : folder;
}

std::string real_on_host(const Host& host, const std::string& path) {
  std::string real = real_path(path);
  return host.root.empty() || real.starts_with(real_path(host.root)) ? real : path;
}

std::string version_in_folder_name(std::string_view name) {
  for (const std::string_view part : split(name, '-')) {
    const std::string_view number = part.substr(0, part.find_first_of("+tr"));
    if (number.find('.') != std::string_view::npos && Version::parse(number)) {
      return std::string(number);
    }
  }
  return {};
}

std::vector<ProjectVersion> gpu_projects_in(const std::vector<std::string>& site_packages) {
  std::vector<ProjectVersion> projects;
  for (const std::string& site : site_packages) {
    const auto entries = list_directory(site);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      const auto info = parse_info_name(entry.name);
      if (!info || projects.size() >= kMostProjects) {
        continue;
      }
      std::string name = normalize_project_name(info->name);
      if (is_gpu_project(name) &&
          std::ranges::find(projects, name, &ProjectVersion::name) == projects.end()) {
        projects.push_back({std::move(name), info->version});
      }
    }
  }
  std::ranges::sort(projects, {}, &ProjectVersion::name);
  return projects;
}

void describe_interpreter(const Host& host, PythonInterpreter& interpreter) {
  read_machine(interpreter);
  const std::string& prefix = interpreter.prefix;
  if (prefix.empty()) {
    return;
  }
  PythonEnvironment environment;
  environment.found_by = FoundBy::option;  // PYTHONPATH is none of its own
  environment.kind =
      is_folder(join_path(prefix, "conda-meta")) ? EnvironmentKind::conda : EnvironmentKind::system;
  environment.root = prefix;
  environment.interpreter = interpreter.path;
  describe_environment(host, environment);
  Fact<std::string> version = environment.python_version;
  if (host.is_windows()) {
    keep_better(version, version_of_dll(prefix));
  }
  const std::string in_name = version_in_folder_name(file_name(prefix));
  if (!in_name.empty() &&
      (!version || in_name.starts_with(version.value->substr(0, version.value->find('t'))))) {
    keep_better(version, Fact<std::string>::present(in_name, prefix));
  }
  keep_better(version, std::move(interpreter.version));
  interpreter.version = std::move(version);
  interpreter.externally_managed =
      is_marked(prefix, interpreter.version.value.value_or(std::string{}));
  interpreter.gpu_projects = gpu_projects_in(environment.site_packages);
}

}  // namespace plumb

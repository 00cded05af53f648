// SPDX-License-Identifier: Apache-2.0
#include "observe/environment_loading.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/text.h"
#include "loader/windows_symbols.h"
#include "observe/frameworks.h"
#include "observe/linux_settings.h"
#include "observe/site_packages.h"
#include "observe/windows_settings.h"
#include "os/file.h"

namespace plumb {
namespace {

/// Variables that a framework's search for libraries may look at.
constexpr const char* kVariables[] = {"CUDA_PATH",         "CUDA_HOME",    "CONDA_PREFIX",
                                      "NVTOOLSEXT_PATH",   "ProgramFiles", "BNB_CUDA_VERSION",
                                      "CUPY_CUDA_LIB_PATH"};

std::string in_folder(const std::string& folder, std::string_view name, char separator) {
  return folder + separator + std::string(name);
}

/// Extension modules, which import opens; the package's plain libraries follow by their needs.
bool is_module(std::string_view path) {
  const std::string_view name = file_name(path);
  return !name.starts_with("lib") && (name.ends_with(".so") || ends_with_nocase(name, ".pyd"));
}

}  // namespace

OpenedLibrary open_from_python(LinuxProcess& process, const std::string& name) {
  LinuxOpenOptions options;
  options.mode = LoadMode::trace;
  LinuxOpen opened = process.open(name, options);
  return {opened.object, std::move(opened.fault)};
}

OpenedLibrary open_from_python(WindowsProcess& process, const std::string& name) {
  const bool by_path = name.find_first_of("\\/") != std::string::npos;
  WindowsLoad loaded = process.load(
      name, kLoadSearchDefaultDirs | (by_path ? kLoadSearchDllLoadDir : 0U), LoadMode::trace);
  return {loaded.object, std::move(loaded.fault)};
}

SymbolCheck check_objects(const LinuxProcess& process, const std::vector<std::size_t>& objects) {
  return check_symbols(process, objects);
}

SymbolCheck check_objects(const WindowsProcess& process, const std::vector<std::size_t>& objects) {
  return check_procedures(process, objects);
}

std::vector<std::size_t> objects_between(std::size_t first, std::size_t end) {
  std::vector<std::size_t> list(end - std::min(first, end));
  std::iota(list.begin(), list.end(), first);
  return list;
}

PythonPlace python_place(const Host& host, const RealFiles& files,
                         const PythonEnvironment& environment) {
  PythonPlace place;
  const bool windows = environment.system == "windows";
  const char separator = windows ? '\\' : '/';
  place.prefix = files.there(environment.root);
  place.base_prefix = place.prefix;
  if (environment.kind == EnvironmentKind::venv) {
    const auto config = read_pyvenv_cfg(environment.root);
    if (const auto home = config.find("home"); home != config.end() && !home->second.empty()) {
      place.base_prefix =
          windows ? home->second
                  : home->second.substr(0, std::max<std::size_t>(home->second.rfind('/'), 1));
    }
  }
  place.python = environment.interpreter.empty()
                     ? in_folder(place.prefix, windows ? "python.exe" : "bin/python3", separator)
                     : files.there(environment.interpreter);
  place.version = environment.python_version.value.value_or("");
  std::string minor = place.version;
  if (std::ranges::count(minor, '.') > 1) {
    minor.erase(minor.rfind('.'));
  }
  if (windows) {
    for (const char* folder : {"DLLs", "Lib"}) {
      place.sys_path.push_back(in_folder(place.base_prefix, folder, separator));
    }
    place.sys_path.push_back(place.base_prefix);
  } else {
    const std::string library = place.base_prefix + "/lib/python" + minor;
    place.sys_path.push_back(library);
    place.sys_path.push_back(library + "/lib-dynload");
  }
  for (const std::string& folder : environment.site_packages) {
    place.sys_path.push_back(files.there(folder));
  }
  const auto copy = [&](const std::string& name) {
    if (auto value = host.set_variable(name)) {
      place.variables.emplace(name, *std::move(value));
    }
  };
  std::ranges::for_each(kVariables, copy);
  for (int major = 8; major <= 14; ++major) {
    for (int part = 0; part <= 9; ++part) {
      copy("CUDA_PATH_V" + std::to_string(major) + "_" + std::to_string(part));
    }
  }
  return place;
}

namespace {

/// PATH as the environment's programs get it. Conda's activation puts its folders first; a Python
/// of the Microsoft Store is a packaged application, whose loader does not look along PATH at all
/// (Microsoft, "Search order for packaged apps").
void apply_kind(const PythonEnvironment& environment, const std::string& prefix,
                WindowsSettings& settings) {
  if (environment.kind == EnvironmentKind::store) {
    settings.path.clear();
  }
  if (environment.kind != EnvironmentKind::conda) {
    return;
  }
  std::vector<std::string> folders = {prefix};
  for (const char* folder :
       {"Library\\mingw-w64\\bin", "Library\\usr\\bin", "Library\\bin", "Scripts", "bin"}) {
    folders.push_back(in_folder(prefix, folder, '\\'));
  }
  settings.path.insert(settings.path.begin(), folders.begin(), folders.end());
}

}  // namespace

ReplayedProcess start_python(const Host& host, RealFiles& files,
                             const PythonEnvironment& environment, const PythonPlace& place) {
  ReplayedProcess process;
  std::string python = place.python;
  if (environment.system == "windows") {
    // A venv's python.exe only starts the one that it was made from.
    const std::string base = place.base_prefix + "\\python.exe";
    if (files.entry(base).kind == EntryKind::file) {
      python = base;
    }
    WindowsSettings settings = observe_windows_settings(host, files, python);
    apply_kind(environment, place.prefix, settings);
    process.on_windows = std::make_unique<WindowsProcess>(files, std::move(settings));
    if (!process.on_windows->start(python, LoadMode::trace).object) {
      process.on_windows->start_unknown(python);
    }
  } else {
    process.on_linux = std::make_unique<LinuxProcess>(
        files, observe_linux_settings(host, files, python, process.errors));
    if (!process.on_linux->start(python, LoadMode::trace).object) {
      process.on_linux->start_unknown(python);
    }
  }
  return process;
}

ReplayedProcess start_nothing(const Host& host, RealFiles& files) {
  ReplayedProcess process;
  if (host.is_windows()) {
    process.on_windows =
        std::make_unique<WindowsProcess>(files, observe_windows_settings(host, files, {}));
    process.on_windows->start_unknown(process.on_windows->settings().system_folder + "\\a.exe");
  } else {
    process.on_linux = std::make_unique<LinuxProcess>(
        files, observe_linux_settings(host, files, {}, process.errors));
    process.on_linux->start_unknown("/a");
  }
  return process;
}

ReplayedProcess start_file(const Host& host, RealFiles& files, const std::string& file,
                           std::string_view system) {
  ReplayedProcess process;
  std::string fault;
  if (system == "windows") {
    process.on_windows =
        std::make_unique<WindowsProcess>(files, observe_windows_settings(host, files, file));
    fault = process.on_windows->start(file, LoadMode::trace).fault;
  } else {
    process.on_linux = std::make_unique<LinuxProcess>(
        files, observe_linux_settings(host, files, file, process.errors));
    fault = process.on_linux->start(file, LoadMode::trace).fault;
  }
  if (!fault.empty()) {
    process.errors.push_back({ErrorCode::malformed, std::move(fault), file, {}});
  }
  return process;
}

std::vector<std::string> needs_of(RealFiles& files, const std::string& path) {
  if (const auto elf = files.elf(path)) {
    return (*elf)->needed;
  }
  if (const auto pe = files.pe(path)) {
    return (*pe)->imports;
  }
  return {};
}

std::vector<const FrameworkFacts*> bases_of(RealFiles& files, const FrameworkFacts& extension,
                                            const std::vector<FrameworkFacts>& frameworks,
                                            const std::vector<Distribution>& distributions) {
  auto bases = required_frameworks(extension, frameworks, distributions);
  if (bases.empty()) {
    std::vector<std::string> names;
    for (const std::string& path : libraries_of_framework(extension, distributions)) {
      std::ranges::move(needs_of(files, files.there(path)), std::back_inserter(names));
    }
    bases = frameworks_of_libraries(names, frameworks);
  }
  return bases;
}

void import_framework(ReplayedProcess& process, const PythonPlace& python, const RealFiles& files,
                      const FrameworkFacts& framework,
                      const std::vector<Distribution>& distributions) {
  FrameworkToLoad wanted;
  wanted.name = framework.name;
  wanted.version = framework.version;
  wanted.site = files.there(framework.site);
  wanted.cuda = framework.cuda.value.value_or("");
  if (!framework.is_framework) {
    for (const std::string& path : libraries_of_framework(framework, distributions)) {
      (is_module(path) ? wanted.modules : wanted.libraries).push_back(files.there(path));
    }
  }
  process.loads.push_back(
      process.visit([&](auto& it) { return load_framework(it, python, wanted); }));
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/import_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "observe/host_paths.h"
#include "observe/python_program.h"
#include "observe/site_packages.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestPth = 256 << 10;
constexpr std::size_t kMostPthFiles = 500;
constexpr std::size_t kMostMissing = 20;
constexpr std::size_t kMostNamed = 1000;
constexpr std::size_t kLongestCode = 200;
constexpr std::size_t kMostEntries = 200;  // of PYTHONPATH

constexpr auto kInstalledModules = std::to_array<std::string_view>(
    {"accelerate",   "bitsandbytes", "ctranslate2", "cupy",        "cv2",        "deepspeed",
     "diffusers",    "flash_attn",   "jax",         "jaxlib",      "keras",      "numba",
     "numpy",        "nvidia",       "onnx",        "onnxruntime", "paddle",     "pandas",
     "scipy",        "tensorflow",   "tensorrt",    "torch",       "torchaudio", "torchvision",
     "transformers", "triton",       "vllm",        "xformers"});
/// Those of Python that frameworks import; built-in and frozen ones cannot be hidden.
constexpr auto kStandardModules =
    std::to_array<std::string_view>({"argparse",  "ast",         "bisect",     "calendar",
                                     "code",      "collections", "concurrent", "contextlib",
                                     "copy",      "csv",         "ctypes",     "dataclasses",
                                     "datetime",  "decimal",     "dis",        "email",
                                     "enum",      "fractions",   "functools",  "glob",
                                     "gzip",      "hashlib",     "heapq",      "html",
                                     "http",      "inspect",     "json",       "keyword",
                                     "linecache", "locale",      "logging",    "multiprocessing",
                                     "numbers",   "operator",    "pathlib",    "pickle",
                                     "platform",  "profile",     "queue",      "random",
                                     "re",        "secrets",     "select",     "shutil",
                                     "signal",    "socket",      "ssl",        "statistics",
                                     "string",    "struct",      "subprocess", "tarfile",
                                     "tempfile",  "textwrap",    "threading",  "token",
                                     "tokenize",  "traceback",   "types",      "typing",
                                     "unittest",  "urllib",      "uuid",       "warnings",
                                     "weakref",   "zipfile"});

std::string major_minor(const PythonEnvironment& environment) {
  const std::string version = environment.python_version.value.value_or(std::string{});
  const std::size_t first = version.find('.');
  return first == std::string::npos ? std::string{}
                                    : version.substr(0, version.find('.', first + 1));
}

/// Where the user's own packages of this Python lie, whether the folder is there or not.
std::string user_site_folder(const Host& host, const PythonEnvironment& environment) {
  const std::string version = major_minor(environment);
  if (version.empty()) {
    return {};
  }
  if (environment.kind == EnvironmentKind::store) {
    return environment.site_packages.empty() ? std::string{} : environment.site_packages.front();
  }
  const auto base = variable_path(host, "PYTHONUSERBASE");
  if (environment.system == "windows") {
    const auto roaming = variable_path(host, "APPDATA");
    if (!base && !roaming) {
      return {};
    }
    std::string digits = version;
    std::erase(digits, '.');
    return path_below(base ? *base : join_path(*roaming, "Python"),
                      {"Python" + digits, "site-packages"});
  }
  if (!base && host.home.empty()) {
    return {};
  }
  return path_below(base ? *base : join_path(host.home, ".local"),
                    {"lib", "python" + version, "site-packages"});
}

void observe_user_site(const Host& host, const PythonEnvironment& environment, UserSite& site) {
  const std::string folder = user_site_folder(host, environment);
  if (folder.empty() || !is_folder(folder)) {
    site.folder = Fact<std::string>::absent(folder);
  } else {
    site.folder = Fact<std::string>::present(folder, folder);
    site.gpu_projects = gpu_projects_in({folder});
  }
  if (environment.kind == EnvironmentKind::venv) {
    auto config = read_pyvenv_cfg(environment.root);
    const std::string shared = to_lower_ascii(config["include-system-site-packages"]);
    if (!shared.empty() && shared != "true") {
      site.off_by = "pyvenv.cfg";
    }
  }
  if (site.off_by.empty() && host.set_variable("PYTHONNOUSERSITE")) {
    site.off_by = "PYTHONNOUSERSITE";
  }
  site.in_use = site.folder && site.off_by.empty();
}

std::vector<std::string> python_path_parts(const Host& host) {
  std::vector<std::string> parts;
  const std::string value = host.set_variable("PYTHONPATH").value_or("");
  for (const std::string_view part : split(value, host.is_windows() ? ';' : ':')) {
    if (!part.empty() && parts.size() < kMostEntries) {
      parts.emplace_back(part);
    }
  }
  return parts;
}

std::string entry_folder(const Host& host, const std::string& part) {
  return is_absolute_on(host, part) ? path_on_host(host, part)
                                    : join_path(host.current_folder, part);
}

void find_modules(const std::string& folder, const std::string& origin,
                  std::vector<ShadowingModule>& modules) {
  const auto entries = list_directory(folder);
  if (!entries) {
    return;
  }
  const auto holds = [&](std::string_view name) {
    return std::ranges::binary_search(
        *entries, name, std::ranges::less{},
        [](const DirectoryEntry& entry) { return std::string_view(entry.name); });
  };
  const bool checkout = holds("setup.py") || holds("pyproject.toml");
  const auto look = [&](std::string_view module, bool standard) {
    const std::string file = std::string(module) + ".py";
    ShadowingModule found;
    found.module = module;
    found.standard_library = standard;
    found.origin = origin;
    if (holds(module) && is_file(path_below(folder, {module, "__init__.py"}))) {
      found.path = join_path(folder, module);
      found.source_checkout = checkout;
    } else if (holds(file)) {
      found.path = join_path(folder, file);
    } else {
      return;
    }
    modules.push_back(std::move(found));
  };
  for (const std::string_view module : kInstalledModules) {
    look(module, false);
  }
  for (const std::string_view module : kStandardModules) {
    look(module, true);
  }
}

void observe_python_path(const Host& host, PackageDetails& details) {
  for (const std::string& part : python_path_parts(host)) {
    PythonPathEntry entry;
    entry.path = part;
    const std::string folder = entry_folder(host, part);
    const auto status = file_status(folder);
    entry.exists = status && status->kind != FileKind::missing;
    if (status && status->kind == FileKind::directory) {
      entry.gpu_projects = gpu_projects_in({folder});
      if (entry.gpu_projects.empty()) {  // else a folder of packages, whose modules are meant
        find_modules(folder, "PYTHONPATH", details.shadowing_modules);
      }
    }
    details.python_path.push_back(std::move(entry));
  }
}

void observe_pth_files(const Host& host, const PythonEnvironment& environment,
                       PackageDetails& details) {
  std::vector<std::string> plain;  // Python reads no .pth files there
  for (const PythonPathEntry& entry : details.python_path) {
    plain.push_back(real_path(entry_folder(host, entry.path)));
  }
  for (const std::string& site : environment.site_packages) {
    const bool is_plain = std::ranges::find(plain, real_path(site)) != plain.end();
    const auto entries = list_directory(site);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      if (entry.name.starts_with('~')) {
        details.leftovers.push_back(join_path(site, entry.name));
      }
      if (is_plain || !entry.name.ends_with(".pth") || entry.name.starts_with('.') ||
          details.pth_files.size() >= kMostPthFiles) {
        continue;
      }
      const std::string path = join_path(site, entry.name);
      const auto text = read_text_file(path, kLongestPth);
      PthFile file;
      std::vector<std::string> named;
      if (text) {
        file = parse_pth(*text, path, named);
      } else {
        file.path = path;
        file.fault = Error(text.error()).in(path);
      }
      for (const std::string& name : named) {
        const std::string folder =
            is_absolute_on(host, name) ? path_on_host(host, name) : join_path(site, name);
        const bool asked = !folder.empty() && !may_be_slow(host, folder);
        const auto status = asked ? file_status(folder) : Result<FileStatus>(FileStatus{});
        if (asked && status && status->kind == FileKind::missing &&
            file.missing.size() < kMostMissing) {
          file.missing.push_back(name);
        }
      }
      details.pth_files.push_back(std::move(file));
    }
  }
}

void observe_shadowed(const PythonEnvironment& environment, PackageDetails& details) {
  std::map<std::string, std::pair<std::string, std::string>> first;  // name -> site, version
  for (const std::string& site : environment.site_packages) {
    for (const ProjectVersion& project : gpu_projects_in({site})) {
      const auto [at, is_new] = first.emplace(project.name, std::pair(site, project.version));
      if (!is_new) {
        details.shadowed.push_back(
            {project.name, at->second.first, at->second.second, site, project.version});
      }
    }
  }
}

void observe_odd_paths(const Host& host, const PythonEnvironment& environment,
                       PackageDetails& details) {
  const auto add = [&](std::string_view path, const char* what) {
    OddPath odd;
    odd.path = path;
    odd.what = what;
    if (!host.root.empty() && path.starts_with(host.root)) {
      path.remove_prefix(host.root.size());
    }
    odd.blanks = path.find(' ') != std::string_view::npos;
    odd.non_ascii =
        std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; });
    if (odd.blanks || odd.non_ascii) {
      details.odd_paths.push_back(std::move(odd));
    }
  };
  add(environment.root, "environment");
  add(environment.interpreter, "interpreter");
  for (const std::string& site : environment.site_packages) {
    add(site, "site-packages");
  }
  add(host.current_folder, "current folder");
}

}  // namespace

PthFile parse_pth(std::string_view text, const std::string& path, std::vector<std::string>& named) {
  PthFile file;
  file.path = path;
  if (!is_utf8(text)) {
    file.fault = Error{ErrorCode::malformed, "is not UTF-8", path, {}};
  } else if (text.starts_with("\xef\xbb\xbf")) {
    file.fault = Error{ErrorCode::malformed, "begins with a byte order mark", path, {}};
    text.remove_prefix(3);
  }
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || raw.starts_with('#')) {
      continue;
    }
    if (raw.starts_with("import ") || raw.starts_with("import\t")) {
      if (file.code_lines++ == 0) {
        file.first_code = line.substr(0, kLongestCode);
      }
    } else if (named.size() < kMostNamed && line.find('\0') == std::string_view::npos) {
      named.emplace_back(line);
    }
  }
  return file;
}

void observe_import_path(const Host& host, const PythonEnvironment& environment,
                         PackageDetails& details) {
  observe_user_site(host, environment, details.user_site);
  observe_python_path(host, details);
  const auto home = host.set_variable("PYTHONHOME");
  details.python_home = home ? Fact<std::string>::present(*home, "PYTHONHOME")
                             : Fact<std::string>::absent("PYTHONHOME");
  details.safe_path = host.set_variable("PYTHONSAFEPATH").has_value();
  observe_pth_files(host, environment, details);
  observe_shadowed(environment, details);
  const bool in_site = std::ranges::find(environment.site_packages, host.current_folder) !=
                       environment.site_packages.end();
  if (!host.current_folder.empty() && !in_site) {
    find_modules(host.current_folder, "current folder", details.shadowing_modules);
  }
  observe_odd_paths(host, environment, details);
}

}  // namespace plumb

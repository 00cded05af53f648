// SPDX-License-Identifier: Apache-2.0
// The order, for one library: files of NVIDIA's wheels in the environment's own site-packages, then
// CONDA_PREFIX, are only looked for; if a library of a known SONAME is loaded already, it is taken
// whatever was found; what it stands on is loaded by the same rule; only then the found file is
// opened, globally. Without one the system's loader is asked for each SONAME, newest major first,
// then CUDA_PATH or CUDA_HOME.
//
// site-packages are site.getsitepackages() and the user's: a folder that a .pth file adds is not
// looked into, although Python imports from it.
#include "loader/cuda_pathfinder.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "binary/file_versions.h"

namespace plumb {
namespace {

constexpr std::string_view kFile = "cuda/pathfinder";

/// One library of the package's catalogue. Lists are separated by blanks, in the order of search.
struct Entry {
  std::string_view name, sonames, dlls;
  std::string_view site_linux, site_windows;  // below site-packages
  std::string_view needs;
  std::string_view root_variable;
};

constexpr std::array<Entry, 9> kEntries = {{
    {"cublas",
     "libcublas.so.13 libcublas.so.12",
     "cublas64_13.dll cublas64_12.dll",
     "nvidia/cu13/lib nvidia/cublas/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cublas/bin",
     "cublasLt",
     {}},
    {"cublasLt",
     "libcublasLt.so.13 libcublasLt.so.12",
     "cublasLt64_13.dll cublasLt64_12.dll",
     "nvidia/cu13/lib nvidia/cublas/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cublas/bin",
     {},
     {}},
    {"cufft",
     "libcufft.so.12 libcufft.so.11",
     "cufft64_12.dll cufft64_11.dll",
     "nvidia/cu13/lib nvidia/cufft/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cufft/bin",
     {},
     {}},
    {"curand",
     "libcurand.so.11 libcurand.so.10",
     "curand64_11.dll curand64_10.dll",
     "nvidia/cu13/lib nvidia/curand/lib",
     "nvidia/cu13/bin/x86_64 nvidia/curand/bin",
     {},
     {}},
    {"cusolver",
     "libcusolver.so.12 libcusolver.so.11",
     "cusolver64_12.dll cusolver64_11.dll",
     "nvidia/cu13/lib nvidia/cusolver/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cusolver/bin",
     "nvJitLink cusparse cublasLt cublas",
     {}},
    {"cusparse",
     "libcusparse.so.12",
     "cusparse64_12.dll",
     "nvidia/cu13/lib nvidia/cusparse/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cusparse/bin",
     "nvJitLink",
     {}},
    {"nvJitLink",
     "libnvJitLink.so.13 libnvJitLink.so.12",
     "nvJitLink_130_0.dll nvJitLink_120_0.dll",
     "nvidia/cu13/lib nvidia/nvjitlink/lib",
     "nvidia/cu13/bin/x86_64 nvidia/nvjitlink/bin",
     {},
     {}},
    {"nvrtc",
     "libnvrtc.so.13 libnvrtc.so.12",
     "nvrtc64_130_0.dll nvrtc64_120_0.dll",
     "nvidia/cu13/lib nvidia/cuda_nvrtc/lib",
     "nvidia/cu13/bin/x86_64 nvidia/cuda_nvrtc/bin",
     {},
     {}},
    {"cutensor",
     "libcutensor.so.2",
     "cutensor.dll",
     "cutensor/lib",
     "cutensor/bin",
     "cublasLt",
     {}},
}};

const Entry* find_entry(std::string_view name) {
  const auto* const entry = std::ranges::find(kEntries, name, &Entry::name);
  return entry == kEntries.end() ? nullptr : entry;
}

std::vector<std::string> list_of(std::string_view blanks) {
  std::vector<std::string> items;
  for (const std::string_view item : split(blanks, ' ')) {
    if (!item.empty()) {
      items.emplace_back(item);
    }
  }
  return items;
}

/// The first of `names` that lies in one of `folders`, folder by folder.
std::string first_file(const PythonFinder& finder, const std::vector<std::string>& folders,
                       const std::vector<std::string>& names) {
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      if (std::string path = finder.join(folder, name); finder.is_file(path)) {
        return path;
      }
    }
  }
  return {};
}

/// Under a toolkit's or conda's root only the first folder that exists counts for each file.
std::string in_root(const PythonFinder& finder, const std::string& root,
                    const std::vector<std::string>& below, const std::vector<std::string>& names) {
  if (root.empty()) {
    return {};
  }
  std::vector<std::string> folders;
  for (const std::string& folder : below) {
    folders.push_back(finder.join(root, folder));
  }
  return first_file(finder, folders, names);
}

std::vector<std::string> site_folders(const PythonFinder& finder, std::string_view below) {
  std::vector<std::string> folders;
  const std::vector<std::string> own = finder.own_site_folders();
  for (const std::string& part : list_of(below)) {
    for (const std::string& site : own) {
      folders.push_back(finder.join(site, part));
    }
  }
  return folders;
}

/// "13.0" of libnvrtc's file: its companion's name has it.
std::string nvrtc_release(LinuxImport& import, const std::string& path) {
  const auto source = import.files().open(path);
  const auto elf = import.files().elf(path);
  if (!source || !elf) {
    return {};
  }
  const auto versions = read_file_versions(**source, **elf);
  const auto found = versions.find("nvrtc");
  if (found == versions.end()) {
    return {};
  }
  const std::size_t end = found->second.find('.', found->second.find('.') + 1);
  return found->second.substr(0, end);
}

}  // namespace

std::string CudaPathfinder::find_file(std::string_view library, bool late) {
  const Entry& entry = *find_entry(library);
  const PythonFinder& finder = import_.finder();
  const std::vector<std::string> names = list_of(entry.sonames);
  const std::vector<std::string> below = {"lib64", "lib"};
  if (!late) {
    std::string path = first_file(finder, site_folders(finder, entry.site_linux), names);
    return path.empty() ? in_root(finder, finder.variable("CONDA_PREFIX"), below, names)
                        : std::move(path);
  }
  std::string root = finder.variable("CUDA_PATH");
  if (root.empty()) {
    root = finder.variable("CUDA_HOME");
  }
  return in_root(finder, root, below, names);
}

bool CudaPathfinder::load(std::string_view library) {
  const Entry* const entry = find_entry(library);
  if (entry == nullptr) {
    return false;
  }
  for (const auto& [name, came] : answers_) {
    if (name == library) {
      return came;
    }
  }
  const auto answer = [&](bool came) {
    answers_.emplace_back(library, came);
    return came;
  };
  const std::string file(kFile);
  const std::vector<std::string> sonames = list_of(entry->sonames);
  std::string path = find_file(library, false);
  const bool is_loaded = std::ranges::any_of(
      sonames, [&](const std::string& soname) { return import_.is_loaded(soname); });
  for (const std::string& need : list_of(entry->needs)) {
    if (!load(need)) {
      return answer(false);
    }
  }
  if (is_loaded) {
    return answer(true);
  }
  if (path.empty()) {
    if (import_.open_first_by_ctypes(sonames, file, Wanted::optional, true)) {
      return answer(true);
    }
    path = find_file(library, true);
    if (path.empty()) {
      return answer(false);
    }
    import_.forget_last_request();
  }
  // libnvrtc has no RUNPATH to the file beside it that it opens by name.
  if (library == "nvrtc") {
    const std::string release = nvrtc_release(import_, path);
    const std::string builtins = path.substr(0, path.rfind('/') + 1) + "libnvrtc-builtins.so." +
                                 (release.empty() ? "13.0" : release);
    if (path.ends_with("/libnvrtc.so.13") && import_.finder().is_file(builtins)) {
      import_.open_by_ctypes(builtins, file, Wanted::optional, true);
    }
  }
  return answer(import_.open_by_ctypes(path, file, Wanted::optional, true));
}

std::string find_by_pathfinder(WindowsImport& import, std::string_view library) {
  const Entry* const entry = find_entry(library);
  if (entry == nullptr) {
    return {};
  }
  const PythonFinder& finder = import.finder();
  const std::vector<std::string> names = list_of(entry->dlls);
  const std::vector<std::string> below = {"bin\\x64", "bin"};
  std::string path = first_file(finder, site_folders(finder, entry->site_windows), names);
  if (const std::string conda = finder.variable("CONDA_PREFIX"); path.empty() && !conda.empty()) {
    path = in_root(finder, finder.join(conda, "Library"), below, names);
  }
  if (path.empty()) {
    const std::string root = finder.variable("CUDA_PATH");
    path = in_root(finder, root.empty() ? finder.variable("CUDA_HOME") : root, below, names);
  }
  return path;
}

}  // namespace plumb

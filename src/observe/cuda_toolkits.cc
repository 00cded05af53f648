// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_toolkits.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "observe/cuda_toolkit_versions.h"

namespace plumb {
namespace {

constexpr std::size_t kMostToolkits = 64;
constexpr std::size_t kMostNames = 32;
constexpr std::size_t kMostPathEntries = 4096;
constexpr std::size_t kMostReleases = 32;  // of the HPC SDK
constexpr const char* kDebianTools = "lib/nvidia-cuda-toolkit";

/// How sure it is that a folder is meant to be a toolkit.
enum class Hint : std::uint8_t {
  named,     // "/usr/local/cuda-12.8": any usual folder in it will do, as images cut much away
  pointed,   // CUDA_HOME: something of CUDA must be there
  compiler,  // a conda prefix or a wheel's folder: counts with nvcc only
};

std::string without_final_separators(std::string path, bool windows) {
  const std::size_t shortest = windows ? 3 : 1;
  while (path.size() > shortest && (path.back() == '/' || (windows && path.back() == '\\'))) {
    path.pop_back();
  }
  return path;
}

class Finder {
 public:
  explicit Finder(CudaFiles& files) : files_(files) {}

  /// The toolkit at `folder`, found before or now; "" if there is none.
  std::string add(const std::string& given, const std::string& origin, Hint hint) {
    const std::string folder = without_final_separators(given, files_.windows());
    if (!files_.is_folder(folder)) {
      return {};
    }
    const std::string identity = files_.identity(folder);
    if (const auto known = by_identity_.find(identity); known != by_identity_.end()) {
      add_name(all_.toolkits[known->second], folder);
      return all_.toolkits[known->second].path;
    }
    CudaToolkit toolkit;
    toolkit.path = files_.real(folder);
    toolkit.origin = origin;
    toolkit.layout = layout_of(toolkit.path, origin);
    find_folders(toolkit);
    if (!is_toolkit(toolkit, hint) || all_.toolkits.size() >= kMostToolkits) {
      return {};
    }
    add_name(toolkit, folder);
    by_identity_.emplace(identity, all_.toolkits.size());
    read_toolkit_versions(files_, toolkit);
    toolkit.libdevice = has_libdevice(toolkit);
    all_.toolkits.push_back(std::move(toolkit));
    return all_.toolkits.back().path;
  }

  /// The folders in `folder` whose names begin with `prefix`.
  void add_children(const std::string& folder, std::string_view prefix) {
    for (const DirectoryEntry& entry : files_.list(folder)) {
      const std::string name = to_lower_ascii(entry.name);
      if (entry.kind == FileKind::regular || !name.starts_with(prefix)) {
        continue;
      }
      const std::string path = files_.join(folder, entry.name);
      add(path, path, Hint::named);
    }
  }

  void add_pointer(PointerKind kind, const std::string& name, const std::string& value) {
    ToolkitPointer pointer{kind, name, value, PointerState::missing, {}};
    const std::string folder = without_final_separators(value, files_.windows());
    switch (files_.real_files().entry(folder).kind) {
      case EntryKind::none:
        break;
      case EntryKind::folder:
        pointer.toolkit = add(folder, name, Hint::pointed);
        pointer.state = pointer.toolkit.empty() ? PointerState::no_toolkit : PointerState::toolkit;
        break;
      default:
        pointer.state = PointerState::no_folder;
    }
    all_.pointers.push_back(std::move(pointer));
  }

  void add_nvcc_on_path() {
    const char* name = files_.windows() ? "nvcc.exe" : "nvcc";
    for (const std::string& folder : files_.path_list("PATH", kMostPathEntries)) {
      const std::string path = files_.join(folder, name);
      if (!files_.is_file(path)) {
        continue;
      }
      all_.nvcc_on_path = Fact<std::string>::present(path, "PATH");
      all_.nvcc_toolkit = toolkit_of(path);
      return;
    }
    all_.nvcc_on_path = Fact<std::string>::absent("PATH");
  }

  void add_alternatives() {
    for (const char* path : {"/var/lib/dpkg/alternatives/cuda", "/var/lib/alternatives/cuda"}) {
      if (files_.is_file(path)) {
        read_alternatives(path);
        return;
      }
    }
  }

  [[nodiscard]] CudaToolkits take() {
    std::ranges::stable_sort(all_.toolkits, std::ranges::greater{}, [](const CudaToolkit& toolkit) {
      return Version::parse(toolkit.version).value_or(Version{});
    });
    return std::move(all_);
  }

 private:
  static void add_name(CudaToolkit& toolkit, const std::string& name) {
    if (name != toolkit.path && toolkit.names.size() < kMostNames &&
        std::ranges::find(toolkit.names, name) == toolkit.names.end()) {
      toolkit.names.push_back(name);
    }
  }

  ToolkitLayout layout_of(const std::string& path, const std::string& origin) {
    const auto holds = [&path](std::string_view part) {
      return path.find(part) != std::string::npos;
    };
    if (!files_.windows() && path == "/usr") {
      return ToolkitLayout::debian;
    }
    if (origin == "EBROOTCUDA") {
      return ToolkitLayout::easybuild;
    }
    if (holds("/hpc_sdk/")) {
      return ToolkitLayout::hpc_sdk;
    }
    if (path.starts_with("/nix/store/") || holds("/.spack/") || holds("/opt/spack/")) {
      return ToolkitLayout::store;
    }
    const std::string above = files_.parent(path);
    const bool conda_library = files_.windows() && to_lower_ascii(base_name(path)) == "library" &&
                               files_.is_folder(files_.join(above, "conda-meta"));
    if (conda_library || files_.is_folder(files_.join(path, "conda-meta"))) {
      return ToolkitLayout::conda;
    }
    return base_name(above) == "nvidia" ? ToolkitLayout::wheel : ToolkitLayout::nvidia;
  }

  void find_folders(CudaToolkit& toolkit) {
    const bool windows = files_.windows();
    const std::string nvcc = files_.join(toolkit.path, windows ? "bin/nvcc.exe" : "bin/nvcc");
    if (files_.is_file(nvcc)) {
      toolkit.nvcc = nvcc;
    }
    std::set<std::string> seen;
    const auto keep = [&](std::vector<std::string>& list, const std::string& folder) {
      if (files_.is_folder(folder) && seen.insert(files_.identity(folder)).second) {
        list.push_back(folder);
      }
    };
    keep(toolkit.include_folders, files_.join(toolkit.path, "include"));
    if (windows) {
      for (const char* part : {"bin", "bin/x64", "bin/x86_64"}) {  // x64 since 13
        keep(toolkit.library_folders, files_.join(toolkit.path, part));
      }
      return;
    }
    if (toolkit.layout == ToolkitLayout::debian) {
      keep(toolkit.library_folders,
           files_.join(toolkit.path, "lib/" + files_.host().machine + "-linux-gnu"));
    }
    for (const char* part : {"lib64", "lib"}) {
      keep(toolkit.library_folders, files_.join(toolkit.path, part));
    }
    const std::string targets = files_.join(toolkit.path, "targets");
    for (const DirectoryEntry& target : files_.list(targets)) {
      const std::string folder = files_.join(targets, target.name);
      keep(toolkit.include_folders, files_.join(folder, "include"));
      keep(toolkit.library_folders, files_.join(folder, "lib"));
    }
  }

  bool is_toolkit(const CudaToolkit& toolkit, Hint hint) {
    if (toolkit.layout == ToolkitLayout::debian) {
      return files_.is_folder(files_.join(toolkit.path, kDebianTools));
    }
    if (!toolkit.nvcc.empty()) {
      return true;
    }
    if (hint == Hint::compiler) {
      return false;
    }
    if (hint == Hint::named) {
      return !toolkit.library_folders.empty() || !toolkit.include_folders.empty();
    }
    for (const char* name : {"version.json", "version.txt"}) {
      if (files_.is_file(files_.join(toolkit.path, name))) {
        return true;
      }
    }
    return std::ranges::any_of(toolkit.include_folders,
                               [this](const std::string& folder) {
                                 return files_.is_file(files_.join(folder, "cuda_runtime_api.h"));
                               }) ||
           std::ranges::any_of(toolkit.library_folders, [this](const std::string& folder) {
             return std::ranges::any_of(files_.list(folder), [](const DirectoryEntry& entry) {
               return entry.name.starts_with("libcudart.so") || entry.name.starts_with("cudart64_");
             });
           });
  }

  bool has_libdevice(const CudaToolkit& toolkit) {
    for (const std::string& folder :
         {files_.join(toolkit.path, "nvvm/libdevice"),
          files_.join(toolkit.path, std::string(kDebianTools) + "/libdevice")}) {
      if (std::ranges::any_of(files_.list(folder), [](const DirectoryEntry& entry) {
            return entry.name.starts_with("libdevice") && entry.name.ends_with(".bc");
          })) {
        return true;
      }
    }
    return false;
  }

  /// `nvcc` with its links resolved lies in the toolkit with the longest path; one in none that is
  /// known makes its own.
  std::string toolkit_of(const std::string& nvcc) {
    const std::string real = files_.real(nvcc);
    const std::string folder = files_.parent(real);
    const CudaToolkit* best = nullptr;
    for (const CudaToolkit& toolkit : all_.toolkits) {
      const bool inside = toolkit.layout == ToolkitLayout::debian
                              ? folder == "/usr/bin" || folder.starts_with("/usr/lib/nvidia-cuda-")
                              : real.starts_with(files_.join(toolkit.path, ""));
      if (inside && (best == nullptr || toolkit.path.size() > best->path.size())) {
        best = &toolkit;
      }
    }
    return best != nullptr ? best->path : add(files_.parent(folder), "PATH", Hint::pointed);
  }

  /// "auto|manual", the link, a blank line, then pairs of path and priority up to a blank line.
  void read_alternatives(const std::string& path) {
    const auto text = files_.text(path);
    if (!text) {
      all_.alternatives = Fact<std::string>::unreadable(text.error(), path);
      return;
    }
    const std::vector<std::string_view> lines = split(*text, '\n');
    if (lines[0] != "auto" && lines[0] != "manual") {
      all_.alternatives = Fact<std::string>::unreadable(
          {ErrorCode::malformed, "begins with neither auto nor manual", path, {}}, path);
      return;
    }
    all_.alternatives = Fact<std::string>::present(std::string(lines[0]), path);
    for (std::size_t i = 2; i + 1 < lines.size() && all_.choices.size() < kMostNames; ++i) {
      const auto priority = parse_decimal(trim(lines[i + 1]));
      if (lines[i].starts_with('/') && priority) {
        all_.choices.push_back({std::string(lines[i]), *priority});
      }
    }
  }

  CudaFiles& files_;
  CudaToolkits all_;
  std::map<std::string, std::size_t> by_identity_;
};

/// CUDA_PATH and the like; CUDA_PATH_V7_0 to V19_9 are asked for one by one, as a variable can only
/// be looked up by its name.
std::vector<std::string> variable_names() {
  std::vector<std::string> names = {"CUDA_PATH",  "CUDA_HOME",         "CUDA_ROOT",
                                    "EBROOTCUDA", "CUDA_TOOLKIT_ROOT", "CUDAToolkit_ROOT"};
  for (int major = 7; major < 20; ++major) {
    for (int minor = 0; minor < 10; ++minor) {
      names.push_back("CUDA_PATH_V" + std::to_string(major) + "_" + std::to_string(minor));
    }
  }
  return names;
}

void add_registry(Finder& finder, const Host& host) {
  for (const char* software : {"HKLM\\SOFTWARE\\", "HKLM\\SOFTWARE\\WOW6432Node\\"}) {
    const std::string all =
        std::string(software) + "NVIDIA Corporation\\GPU Computing Toolkit\\CUDA";
    for (const std::string& version : registry_subkeys(*host.registry, all)) {
      const std::string key = all + "\\" + version;
      const auto folder = registry_text(*host.registry, key, "InstallDir");
      if (folder && !folder.value->empty()) {
        finder.add_pointer(PointerKind::registry, key, *folder.value);
      }
    }
  }
  for (const auto& [kind, key] :
       {std::pair{PointerKind::machine_variable,
                  "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"},
        std::pair{PointerKind::user_variable, "HKCU\\Environment"}}) {
    for (const std::string& name :
         host.registry->values(key).value_or(std::vector<std::string>{})) {
      const std::string upper = to_lower_ascii(name);
      if (upper != "cuda_path" && upper != "cuda_home" && upper != "cuda_root" &&
          !upper.starts_with("cuda_path_v")) {
        continue;
      }
      const auto value = registry_text(*host.registry, key, name);
      if (value && !value.value->empty()) {
        finder.add_pointer(kind, name, expand_variables(*value.value, host.variable));
      }
    }
  }
}

void add_hpc_sdk(Finder& finder, CudaFiles& files) {
  std::string top = "/opt/nvidia/hpc_sdk";
  if (const auto root = files.host().set_variable("NVHPC")) {
    top = *root;
  }
  for (const char* system : {"Linux_x86_64", "Linux_aarch64"}) {
    const std::string releases = files.join(top, system);
    std::size_t count = 0;
    for (const DirectoryEntry& release : files.list(releases)) {
      if (release.kind == FileKind::directory && ++count <= kMostReleases) {
        const std::string cuda = files.join(files.join(releases, release.name), "cuda");
        for (const DirectoryEntry& version : files.list(cuda)) {
          if (version_of_folder_name(version.name)) {
            const std::string path = files.join(cuda, version.name);
            finder.add(path, path, Hint::named);
          }
        }
      }
    }
  }
}

void add_environment_folder(Finder& finder, CudaFiles& files, const std::string& folder) {
  finder.add(files.windows() ? files.join(folder, "Library") : folder, folder, Hint::compiler);
  const std::string wheels = files.join(folder, "nvidia");
  for (const DirectoryEntry& entry : files.list(wheels)) {
    if (entry.kind != FileKind::regular && (entry.name.starts_with("cu"))) {
      const std::string path = files.join(wheels, entry.name);
      finder.add(path, path, Hint::compiler);
    }
  }
}

}  // namespace

CudaToolkits observe_cuda_toolkits(CudaFiles& files,
                                   const std::vector<std::string>& extra_folders) {
  const Host& host = files.host();
  Finder finder(files);
  for (const std::string& name : variable_names()) {
    if (const auto value = host.set_variable(name)) {
      finder.add_pointer(PointerKind::variable, name, *value);
    }
  }
  if (host.is_windows()) {
    add_registry(finder, host);
    finder.add_children(files.join(files.program_files(), "NVIDIA GPU Computing Toolkit/CUDA"),
                        "v");
  } else {
    finder.add_children("/usr/local", "cuda");
    finder.add("/opt/cuda", "/opt/cuda", Hint::named);
    finder.add("/usr", files.join("/usr", kDebianTools), Hint::compiler);
    add_hpc_sdk(finder, files);
    finder.add_alternatives();
  }
  if (const auto prefix = host.set_variable("CONDA_PREFIX")) {
    add_environment_folder(finder, files, *prefix);
  }
  for (const std::string& folder : extra_folders) {
    add_environment_folder(finder, files, folder);
  }
  finder.add_nvcc_on_path();
  return finder.take();
}

}  // namespace plumb

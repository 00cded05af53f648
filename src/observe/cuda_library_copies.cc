// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_library_copies.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "binary/file_versions.h"
#include "binary/nvidia_names.h"
#include "observe/cuda_toolkit_versions.h"

namespace plumb {
namespace {

constexpr std::size_t kMostPathEntries = 65'536;
constexpr std::size_t kMostCopies = 4096;
constexpr std::size_t kMostSightings = 64;
constexpr std::size_t kMostHeadersRead = 512;
constexpr std::size_t kMostPackages = 256;  // folders in one site-packages/nvidia

/// "libcudnn.so.9.14.0" -> "9.14.0"; a single number is the SONAME's.
std::optional<std::string> version_in_file_name(std::string_view name) {
  const std::size_t at = name.rfind(".so.");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view version = name.substr(at + 4);
  const bool digits = version.find_first_not_of("0123456789.") == std::string_view::npos;
  return digits && std::ranges::count(version, '.') > 1 ? std::optional(std::string(version))
                                                        : std::nullopt;
}

/// Those whose version the user's trouble turns on, and whose names do not tell it.
bool reads_header(std::string_view family) {
  return family.starts_with("cudnn") || family.starts_with("nvinfer") || family == "nccl" ||
         family == "cudart" || family == "zlibwapi";
}

class Collector {
 public:
  Collector(CudaFiles& files, std::size_t most_folders)
      : files_(files), most_folders_(most_folders) {}

  void add_folder(const std::string& folder, LibraryPlace place) {
    const std::string identity = files_.identity(folder);
    if (identity.empty() || !files_.is_folder(folder) || listed_.contains(identity)) {
      return;
    }
    if (listed_.size() >= most_folders_) {
      note_limit(folders_full_, "more than " + std::to_string(most_folders_) +
                                    " folders: the rest was not searched for libraries");
      return;
    }
    listed_.insert(identity);
    for (const DirectoryEntry& entry : files_.list(folder)) {
      if (entry.kind != FileKind::directory && is_cuda_family_file(entry.name, files_.windows())) {
        add_file(files_.join(folder, entry.name), place);
      }
    }
  }

  void add_file(const std::string& path, LibraryPlace place) {
    if (!files_.is_file(path)) {
      return;  // a link that leads nowhere
    }
    const std::string identity = files_.identity(path);
    const auto known = by_identity_.find(identity);
    if (known != by_identity_.end()) {
      auto& sightings = found_.copies[known->second].sightings;
      if (sightings.size() < kMostSightings &&
          std::ranges::find(sightings, path, &LibrarySighting::path) == sightings.end()) {
        sightings.push_back({path, place});
      }
      return;
    }
    if (found_.copies.size() >= kMostCopies) {
      note_limit(copies_full_, "more than 4096 libraries of CUDA: the rest was left out");
      return;
    }
    by_identity_.emplace(identity, found_.copies.size());
    found_.copies.push_back(describe(path, place));
  }

  void add_cached(const CachedLibrary& library) {
    if (is_cuda_family_file(library.name, false)) {
      add_file(library.path, LibraryPlace::cache);
    }
  }

  [[nodiscard]] LibraryCopies take() {
    found_.folders_listed = listed_.size();
    return std::move(found_);
  }

 private:
  void note_limit(bool& noted, std::string what) {
    if (!noted) {
      noted = true;
      found_.errors.push_back({ErrorCode::limit, std::move(what), {}, {}});
    }
  }

  CudaLibraryCopy describe(const std::string& path, LibraryPlace place) {
    CudaLibraryCopy copy;
    copy.path = files_.real(path);
    const std::string own_name = base_name(copy.path);
    copy.family = library_stem(path);
    copy.name = own_name;
    copy.stub = to_lower_ascii(base_name(files_.parent(path))) == "stubs";
    copy.sightings.push_back({path, place});
    copy.version = Fact<std::string>::absent(copy.path);
    if (reads_header(copy.family) && headers_read_ < kMostHeadersRead) {
      ++headers_read_;
      files_.windows() ? read_pe_facts(copy) : read_elf_facts(copy);
    }
    if (const auto version = version_in_file_name(own_name)) {  // fuller than what code says
      copy.version = Fact<std::string>::present(*version, copy.path);
    }
    return copy;
  }

  void read_elf_facts(CudaLibraryCopy& copy) {
    const auto elf = files_.real_files().elf(copy.path);
    if (!elf) {
      copy.version = Fact<std::string>::unreadable(elf.error(), copy.path);
      return;
    }
    copy.machine = (*elf)->machine;
    copy.name = (*elf)->soname.value_or(copy.name);
    const auto source = files_.real_files().open(copy.path);
    if (source && !version_in_file_name(base_name(copy.path))) {
      state_first(copy, read_file_versions(**source, **elf));
    }
  }

  void read_pe_facts(CudaLibraryCopy& copy) {
    const auto pe = files_.real_files().pe(copy.path);
    if (!pe) {
      copy.version = Fact<std::string>::unreadable(pe.error(), copy.path);
      return;
    }
    copy.machine = (*pe)->machine;
    copy.name = (*pe)->dll_name.value_or(copy.name);
    const auto description = (*pe)->version_resource.find("FileDescription");
    if (copy.family == "cudart") {
      if (description != (*pe)->version_resource.end()) {
        if (auto version = version_of_description(description->second)) {
          copy.version = Fact<std::string>::present(std::move(*version), copy.path);
          return;
        }
      }
    } else if ((*pe)->file_version) {  // true for cuDNN, TensorRT and zlib
      copy.version = Fact<std::string>::present(*(*pe)->file_version, copy.path);
      return;
    }
    if (const auto source = files_.real_files().open(copy.path)) {
      state_first(copy, read_file_versions(**source, **pe));
    }
  }

  static void state_first(CudaLibraryCopy& copy,
                          const std::map<std::string, std::string>& versions) {
    if (!versions.empty()) {
      copy.version = Fact<std::string>::present(versions.begin()->second, copy.path);
    }
  }

  CudaFiles& files_;
  std::size_t most_folders_;
  LibraryCopies found_;
  std::set<std::string> listed_;
  std::unordered_map<std::string, std::size_t> by_identity_;
  std::size_t headers_read_ = 0;
  bool folders_full_ = false;
  bool copies_full_ = false;
};

/// nvidia/cublas/lib, nvidia/cu13/lib, nvidia/cudnn/bin, nvidia/cu13/bin/x86_64; torch/lib and what
/// other packages bring along; a conda prefix's own folder.
void add_environment_folder(Collector& collector, CudaFiles& files, const std::string& folder) {
  const bool windows = files.windows();
  const std::string wheels = files.join(folder, "nvidia");
  std::size_t packages = 0;
  for (const DirectoryEntry& entry : files.list(wheels)) {
    if (entry.kind == FileKind::regular || ++packages > kMostPackages) {
      continue;
    }
    const std::string package = files.join(wheels, entry.name);
    if (windows) {
      collector.add_folder(files.join(package, "bin/x86_64"), LibraryPlace::wheel);
      collector.add_folder(files.join(package, "bin"), LibraryPlace::wheel);
    }
    collector.add_folder(files.join(package, "lib"), LibraryPlace::wheel);
  }
  for (const char* package : {"torch/lib", "tensorrt_libs", "tensorrt", "cudnn", "cudnn/lib",
                              "paddle/libs", "ctranslate2", "cupy/.data/lib"}) {
    collector.add_folder(files.join(folder, package), LibraryPlace::wheel);
  }
  if (files.is_folder(files.join(folder, "conda-meta"))) {
    collector.add_folder(files.join(folder, windows ? "Library/bin" : "lib"), LibraryPlace::conda);
  }
}

/// %ProgramFiles%\NVIDIA\CUDNN\v9.N\bin[\12.9[\x64]]
void add_cudnn_installer(Collector& collector, CudaFiles& files) {
  const std::string all = files.join(files.program_files(), "NVIDIA/CUDNN");
  std::size_t releases = 0;
  for (const DirectoryEntry& release : files.list(all)) {
    if (!release.name.starts_with('v') || ++releases > kMostPackages) {
      continue;
    }
    const std::string bin = files.join(files.join(all, release.name), "bin");
    collector.add_folder(bin, LibraryPlace::cudnn_installer);
    for (const DirectoryEntry& cuda : files.list(bin)) {
      if (cuda.kind == FileKind::directory && version_of_folder_name(cuda.name)) {
        const std::string folder = files.join(bin, cuda.name);
        collector.add_folder(folder, LibraryPlace::cudnn_installer);
        collector.add_folder(files.join(folder, "x64"), LibraryPlace::cudnn_installer);
      }
    }
  }
}

}  // namespace

bool is_cuda_family_file(std::string_view name, bool windows) {
  const bool library =
      windows ? ends_with_nocase(name, ".dll") : name.find(".so") != std::string_view::npos;
  if (!library) {
    return false;
  }
  const std::string stem = library_stem(name);
  if (stem == "npptools") {  // Windows' own
    return false;
  }
  return is_nvidia_library(name) || (windows && stem == "zlibwapi");
}

LibraryCopies find_cuda_libraries(CudaFiles& files, const std::vector<CachedLibrary>& cache,
                                  const std::vector<CudaToolkit>& toolkits,
                                  const std::vector<std::string>& extra_folders,
                                  std::size_t most_folders) {
  Collector collector(files, most_folders);
  // The few folders that are known for CUDA come first, so that no PATH is long enough to hide
  // them.
  if (files.windows()) {
    collector.add_folder(files.real_files().there(files.host().system_folder),
                         LibraryPlace::system);
    add_cudnn_installer(collector, files);
  }
  for (const CudaToolkit& toolkit : toolkits) {
    const LibraryPlace place = toolkit.layout == ToolkitLayout::wheel   ? LibraryPlace::wheel
                               : toolkit.layout == ToolkitLayout::conda ? LibraryPlace::conda
                               : toolkit.layout == ToolkitLayout::debian
                                   ? LibraryPlace::default_folder
                                   : LibraryPlace::toolkit;
    for (const std::string& folder : toolkit.library_folders) {
      collector.add_folder(folder, place);
    }
  }
  for (const std::string& folder : extra_folders) {
    add_environment_folder(collector, files, folder);
  }
  if (const auto prefix = files.host().set_variable("CONDA_PREFIX")) {
    add_environment_folder(collector, files, *prefix);
  }
  if (files.windows()) {
    for (const std::string& folder : files.path_list("PATH", kMostPathEntries)) {
      collector.add_folder(folder, LibraryPlace::path);
    }
    return collector.take();
  }
  for (const std::string& folder : files.path_list("LD_LIBRARY_PATH", kMostPathEntries)) {
    collector.add_folder(folder, LibraryPlace::library_path);
  }
  for (const CachedLibrary& library : cache) {
    collector.add_cached(library);
  }
  const std::string triplet = files.host().machine + "-linux-gnu";
  for (const std::string& folder :
       {"/usr/lib/" + triplet, "/lib/" + triplet, std::string("/usr/lib64"), std::string("/lib64"),
        std::string("/usr/lib"), std::string("/lib"), std::string("/usr/local/lib")}) {
    collector.add_folder(folder, LibraryPlace::default_folder);
  }
  return collector.take();
}

}  // namespace plumb

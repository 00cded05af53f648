// SPDX-License-Identifier: Apache-2.0
#include "observe/library_folders.h"

#include <set>

#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

class Places {
 public:
  Places(const Host& host, const PythonEnvironment& environment)
      : host_(host), windows_(environment.system == "windows") {}

  void add(const std::string& folder) {
    if (is_folder(folder) && seen_.insert(folder).second) {
      folders_.push_back(folder);
    }
  }

  /// nvidia/cublas/lib, nvidia/cu13/lib, nvidia/cudnn/bin, nvidia/cu13/bin/x86_64.
  void add_nvidia_wheels(const std::string& site) {
    const std::string top = join_path(site, "nvidia");
    const auto entries = list_directory(top);
    if (!entries) {
      return;
    }
    for (const DirectoryEntry& entry : *entries) {
      const std::string folder = join_path(top, entry.name);
      if (windows_) {
        add(join_path(join_path(folder, "bin"), "x86_64"));
        add(join_path(folder, "bin"));
      } else {
        add(join_path(folder, "lib"));
      }
    }
  }

  void add_list(const std::optional<std::string>& variable) {
    for (const std::string& folder : split_path_list(variable.value_or(""))) {
      if (!folder.empty()) {
        add(host_.at(folder));
      }
    }
  }

  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }

 private:
  const Host& host_;
  bool windows_;
  std::set<std::string> seen_;
  std::vector<std::string> folders_;
};

void add_windows_toolkits(Places& places, const Host& host) {
  std::vector<std::string> toolkits;
  if (const auto cuda = host.set_variable("CUDA_PATH")) {
    toolkits.push_back(host.at(*cuda));
  }
  const std::string programs = host.set_variable("ProgramFiles").value_or("C:\\Program Files");
  std::string folder = host.root.empty() ? programs : host.at("/Program Files");
  for (const char* part : {"NVIDIA GPU Computing Toolkit", "CUDA"}) {
    folder = join_path(folder, part);
  }
  const auto versions = list_directory(folder);
  for (const DirectoryEntry& entry : versions ? *versions : std::vector<DirectoryEntry>{}) {
    toolkits.push_back(join_path(folder, entry.name));
  }
  for (const std::string& toolkit : toolkits) {
    places.add(join_path(toolkit, "bin"));
    places.add(join_path(join_path(toolkit, "bin"), "x64"));  // since CUDA 13
  }
}

void add_environment(Places& places, const Host& host, const PythonEnvironment& environment) {
  for (const std::string& site : environment.site_packages) {
    places.add_nvidia_wheels(site);
    for (const char* folder : {"torch", "cudnn", "tensorrt_libs"}) {  // what others bring along
      places.add(join_path(site, folder));
      places.add(join_path(join_path(site, folder), "lib"));
    }
  }
  const std::string& root = environment.root;
  if (environment.system == "windows") {
    if (!root.empty()) {
      places.add(join_path(join_path(root, "Library"), "bin"));
    }
    places.add(host.system_folder);
    places.add_list(host.set_variable("PATH"));
    add_windows_toolkits(places, host);
  } else {
    if (!root.empty()) {
      places.add(join_path(root, "lib"));
    }
    places.add_list(host.set_variable("LD_LIBRARY_PATH"));
    for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                               "/usr/lib64", "/lib", "/usr/lib", "/usr/local/cuda/lib64"}) {
      places.add(host.at(folder));
    }
    const auto local = list_directory(host.at("/usr/local"));
    for (const DirectoryEntry& entry : local ? *local : std::vector<DirectoryEntry>{}) {
      if (entry.name.starts_with("cuda-")) {
        places.add(host.at("/usr/local/" + entry.name + "/lib64"));
      }
    }
  }
}

}  // namespace

std::vector<std::string> library_folders(const Host& host, const PythonEnvironment& environment) {
  Places places(host, environment);
  add_environment(places, host, environment);
  return places.folders();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lies between the program and the bare machine: containers, WSL, job schedulers, boards.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"
#include "facts/process_state.h"

namespace plumb {

enum class ContainerKind : std::uint8_t {
  none,
  docker,
  podman,
  kubernetes,
  containerd,
  lxc,
  apptainer,
  enroot,
  nspawn,
  unknown  // a container, of a kind that no mark names
};
constexpr auto enum_names(ContainerKind) {
  return std::to_array<std::string_view>({"none", "docker", "podman", "kubernetes", "containerd",
                                          "lxc", "apptainer", "enroot", "nspawn", "unknown"});
}

/// A description of GPUs for the Container Device Interface.
struct CdiSpec {
  std::string origin;                        // the file
  std::string kind;                          // "nvidia.com/gpu"
  std::vector<std::string> driver_versions;  // in the names of its libraries: "570.86.15"
  bool stale = false;                        // the loaded driver is another than all that it names
};

void fields(auto& visit, Is<CdiSpec> auto& x) {
  visit("origin", x.origin);
  visit("kind", x.kind);
  visit("driver_versions", x.driver_versions);
  visit("stale", x.stale);
}

/// The host's side of GPUs in containers.
struct ContainerToolkit {
  Fact<bool> no_cgroups;              // needed where Docker runs without root
  Fact<std::string> mode;             // "auto", "cdi", "legacy", "csv"
  Fact<bool> docker_has_nvidia;       // daemon.json names the runtime "nvidia"
  Fact<std::string> docker_default;   // its default-runtime
  Fact<bool> containerd_has_nvidia;   // containerd's config.toml names it
  std::vector<std::string> programs;  // "/usr/bin/nvidia-ctk"
  std::vector<CdiSpec> cdi;
  std::vector<Error> faults;  // specs that cannot be read
};

void fields(auto& visit, Is<ContainerToolkit> auto& x) {
  visit("no_cgroups", x.no_cgroups);
  visit("mode", x.mode);
  visit("docker_has_nvidia", x.docker_has_nvidia);
  visit("docker_default", x.docker_default);
  visit("containerd_has_nvidia", x.containerd_has_nvidia);
  visit("programs", x.programs);
  visit("cdi", x.cdi);
  visit("faults", x.faults);
}

struct ContainerState {
  ContainerKind kind = ContainerKind::none;
  std::vector<std::string>
      marks;                    // all that speak for it: "/.dockerenv", "KUBERNETES_SERVICE_HOST"
  Fact<std::string> engine;     // "podman-5.6.2"
  Fact<bool> rootless;          // Podman's
  Fact<std::string> group;      // path of this process's control group: "/docker/0123"
  Fact<std::string> root_type;  // file system of "/": "overlay"
  // Was a GPU passed in?
  std::vector<std::string> device_nodes;  // "/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"
  std::vector<std::string> gpu_mounts;    // mounted from outside: ".../libcuda.so.570.86.15"
  Fact<std::string> mounted_driver;       // "570.86.15", from their names
  std::vector<std::string> empty_files;   // of 0 bytes, left from an image saved with a GPU
  std::vector<Variable> wishes;           // NVIDIA_VISIBLE_DEVICES ..., of the image or of `run`
  ContainerToolkit toolkit;
};

void fields(auto& visit, Is<ContainerState> auto& x) {
  visit("kind", x.kind);
  visit("marks", x.marks);
  visit("engine", x.engine);
  visit("rootless", x.rootless);
  visit("group", x.group);
  visit("root_type", x.root_type);
  visit("device_nodes", x.device_nodes);
  visit("gpu_mounts", x.gpu_mounts);
  visit("mounted_driver", x.mounted_driver);
  visit("empty_files", x.empty_files);
  visit("wishes", x.wishes);
  visit("toolkit", x.toolkit);
}

/// A line of an INI file.
struct IniSetting {
  std::string section;  // "wsl2"
  std::string key;      // "memory", lower case
  std::string value;    // "8GB"
};

void fields(auto& visit, Is<IniSetting> auto& x) {
  visit("section", x.section);
  visit("key", x.key);
  visit("value", x.value);
}

enum class WslDistributionState : std::uint8_t {
  unknown,
  installed,
  running,
  installing,
  uninstalling,
  converting,
  exporting
};
constexpr auto enum_names(WslDistributionState) {
  return std::to_array<std::string_view>(
      {"unknown", "installed", "running", "installing", "uninstalling", "converting", "exporting"});
}

struct WslDistribution {
  Fact<std::string> name;       // "Ubuntu-24.04"
  Fact<std::uint64_t> version;  // 1 or 2
  WslDistributionState state = WslDistributionState::unknown;
  bool is_default = false;
  std::string origin;  // the registry key
};

void fields(auto& visit, Is<WslDistribution> auto& x) {
  visit("name", x.name);
  visit("version", x.version);
  visit("state", x.state);
  visit("is_default", x.is_default);
  visit("origin", x.origin);
}

struct WslState {
  // Linux: seen from inside.
  Fact<std::uint64_t> version;             // 1 or 2; absent = no WSL
  Fact<std::string> distribution;          // WSL_DISTRO_NAME; containers inside WSL lack it
  Fact<bool> interop;                      // Windows' programs can be started
  Fact<bool> gpu_device;                   // /dev/dxg
  Fact<bool> library_folder;               // /usr/lib/wsl/lib
  Fact<std::vector<IniSetting>> wsl_conf;  // /etc/wsl.conf; the first 200 lines that set something
  // Windows: seen from outside.
  std::vector<WslDistribution> distributions;
  Fact<std::uint64_t> default_version;      // for new distributions
  Fact<std::string> package_version;        // "2.6.1.0"; absent = the one that came with Windows
  Fact<std::vector<IniSetting>> wslconfig;  // %USERPROFILE%\.wslconfig
};

void fields(auto& visit, Is<WslState> auto& x) {
  visit("version", x.version);
  visit("distribution", x.distribution);
  visit("interop", x.interop);
  visit("gpu_device", x.gpu_device);
  visit("library_folder", x.library_folder);
  visit("wsl_conf", x.wsl_conf);
  visit("distributions", x.distributions);
  visit("default_version", x.default_version);
  visit("package_version", x.package_version);
  visit("wslconfig", x.wslconfig);
}

struct JobState {
  std::vector<std::string> schedulers;  // "slurm", "pbs", "lsf", ...
  std::vector<Variable> slurm;          // SLURM_JOB_GPUS (indices of the machine) ...
};

void fields(auto& visit, Is<JobState> auto& x) {
  visit("schedulers", x.schedulers);
  visit("slurm", x.slurm);
}

/// Boards and virtual cards that need other packages than a PC with a card.
struct BoardState {
  Fact<std::string> l4t;    // Jetson's Linux: "35.4.1"
  Fact<std::string> model;  // "NVIDIA Jetson Orin Nano Developer Kit"
  Fact<bool> vgpu_licence;  // /etc/nvidia/gridd.conf is there: a guest with a vGPU
};

void fields(auto& visit, Is<BoardState> auto& x) {
  visit("l4t", x.l4t);
  visit("model", x.model);
  visit("vgpu_licence", x.vgpu_licence);
}

}  // namespace plumb

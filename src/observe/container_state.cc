// SPDX-License-Identifier: Apache-2.0
// No single mark proves a container: images are unpacked elsewhere with their /.dockerenv, and WSL
// under systemd calls itself one. So all marks are kept, and the most particular one names the
// kind.
#include "observe/container_state.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "observe/ini_lines.h"
#include "observe/process_variables.h"
#include "observe/text_fact.h"

namespace plumb {
namespace {

constexpr std::size_t kMostNames = 64;

struct Word {
  std::string_view text;
  ContainerKind kind;
};

/// In the path of PID 1's control group.
constexpr auto kGroupWords = std::to_array<Word>({{"kubepods", ContainerKind::kubernetes},
                                                  {"libpod", ContainerKind::podman},
                                                  {"docker", ContainerKind::docker},
                                                  {"containerd", ContainerKind::containerd},
                                                  {"lxc", ContainerKind::lxc}});

/// Of the variable `container` and of /run/systemd/container (CONTAINER_INTERFACE of systemd).
constexpr auto kManagerWords = std::to_array<Word>({{"docker", ContainerKind::docker},
                                                    {"podman", ContainerKind::podman},
                                                    {"lxc", ContainerKind::lxc},
                                                    {"lxc-libvirt", ContainerKind::lxc},
                                                    {"systemd-nspawn", ContainerKind::nspawn}});

/// From the most particular to the most general.
constexpr auto kRank = std::to_array<ContainerKind>(
    {ContainerKind::apptainer, ContainerKind::enroot, ContainerKind::podman,
     ContainerKind::kubernetes, ContainerKind::lxc, ContainerKind::nspawn, ContainerKind::docker,
     ContainerKind::containerd, ContainerKind::unknown});

class Marks {
 public:
  void add(ContainerKind kind, std::string mark) {
    marks_.push_back(std::move(mark));
    kinds_.push_back(kind);
  }
  void add_manager(std::string_view word, const std::string& mark) {
    word = trim(word);
    if (word.empty() || word == "wsl") {
      return;
    }
    const auto* hit = std::ranges::find(kManagerWords, word, &Word::text);
    add(hit == kManagerWords.end() ? ContainerKind::unknown : hit->kind, mark);
  }
  /// Images are unpacked into virtual machines, too, /.dockerenv and all.
  void weigh_root(std::string_view type) {
    if (kinds_.empty()) {
      return;
    }
    if (type == "overlay" || type == "fuse.fuse-overlayfs") {
      marks_.emplace_back("/ is an overlay");
    } else if (type.starts_with("ext") && marks_ == std::vector<std::string>{"/.dockerenv"}) {
      kinds_ = {ContainerKind::unknown};
    }
  }
  void give(ContainerState& state) {
    const auto* best = std::ranges::find_if(kRank, [this](ContainerKind kind) {
      return std::ranges::find(kinds_, kind) != kinds_.end();
    });
    state.kind = best == kRank.end() ? ContainerKind::none : *best;
    state.marks = std::move(marks_);
  }

 private:
  std::vector<std::string> marks_;
  std::vector<ContainerKind> kinds_;
};

void find_marks(const Host& host, ContainerState& state) {
  Marks marks;
  if (is_file(host.at("/.dockerenv"))) {
    marks.add(ContainerKind::docker, "/.dockerenv");
  }
  if (is_file(host.at("/run/.containerenv"))) {
    marks.add(ContainerKind::podman, "/run/.containerenv");
  }
  if (is_folder(host.at("/.singularity.d"))) {
    marks.add(ContainerKind::apptainer, "/.singularity.d");
  }
  if (is_file(host.at("/.lock")) && is_file(host.at("/etc/rc"))) {
    marks.add(ContainerKind::enroot, "/.lock");
  }
  if (is_folder(host.at("/var/run/secrets/kubernetes.io"))) {
    marks.add(ContainerKind::kubernetes, "/var/run/secrets/kubernetes.io");
  }
  const std::string manager = "/run/systemd/container";
  marks.add_manager(read_text_file(host.at(manager), 4096).value_or(""), manager);
  marks.add_manager(host.set_variable("container").value_or(""), "container");
  for (const char* name : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"}) {
    if (host.set_variable(name)) {
      marks.add(ContainerKind::apptainer, name);
    }
  }
  if (host.set_variable("KUBERNETES_SERVICE_HOST")) {
    marks.add(ContainerKind::kubernetes, "KUBERNETES_SERVICE_HOST");
  }
  const std::string first = "/proc/1/cgroup";
  const std::string group = read_text_file(host.at(first), 1 << 16).value_or("");
  for (const Word& word : kGroupWords) {
    if (group.find(word.text) != std::string::npos) {
      marks.add(word.kind, first + ": " + std::string(word.text));
    }
  }
  marks.weigh_root(state.root_type.value.value_or(""));
  marks.give(state);
}

void read_podman(const Host& host, ContainerState& state) {
  const std::string path = "/run/.containerenv";
  const auto settings = parse_ini_lines(read_text_file(host.at(path), 1 << 16).value_or(""));
  if (auto engine = find_setting(settings, "", "engine")) {
    state.engine = Fact<std::string>::present(*std::move(engine), path);
  }
  if (const auto rootless = find_setting(settings, "", "rootless")) {
    state.rootless = Fact<bool>::present(*rootless == "1", path);
  }
}

/// The path in the unified hierarchy, else that of the memory controller.
Fact<std::string> own_group(const Host& host) {
  return fact_of_file<std::string>(
      host, "/proc/self/cgroup", [](std::string_view text) -> std::optional<std::string> {
        std::optional<std::string> best;
        for (const std::string_view line : split(text, '\n')) {
          const std::size_t first = line.find(':');
          const std::size_t second =
              first == std::string_view::npos ? first : line.find(':', first + 1);
          if (second == std::string_view::npos) {
            continue;
          }
          const std::string_view controllers = line.substr(first + 1, second - first - 1);
          const std::string_view path = line.substr(second + 1);
          const bool better = path.size() > (best ? best->size() : 0);
          if (controllers == "memory" || (controllers.empty() && better)) {
            best = std::string(path);
          }
        }
        return best;
      });
}

bool is_gpu_mount(std::string_view point, bool in_container) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"libcuda.so", "libnvidia-", "/dev/nvidia", "/dev/dxg", "/proc/driver/nvidia", "nvidia-smi",
       "nvidia-container-devices"});
  return std::ranges::any_of(
             kParts,
             [&](std::string_view part) { return point.find(part) != std::string_view::npos; }) ||
         (in_container && point.starts_with("/usr/lib/wsl"));
}

void find_gpu(const Host& host, const MountTable& mounts, ContainerState& state) {
  const auto nodes = list_directory(host.at("/dev"));
  for (const DirectoryEntry& node : nodes.value_or(std::vector<DirectoryEntry>{})) {
    if ((node.name.starts_with("nvidia") || node.name == "dxg") &&
        state.device_nodes.size() < kMostNames) {
      state.device_nodes.push_back("/dev/" + node.name);
    }
  }
  for (const Mount& mount : mounts.mounts()) {
    if (!is_gpu_mount(mount.point, state.kind != ContainerKind::none)) {
      continue;
    }
    if (state.gpu_mounts.size() < kMostNames) {
      state.gpu_mounts.push_back(mount.point);
    }
    for (const std::string& path : {mount.point, mount.root}) {
      const auto versions = driver_versions_in(path);
      if (!versions.empty() && !state.mounted_driver) {
        state.mounted_driver = Fact<std::string>::present(versions.front(), "/proc/self/mountinfo");
      }
    }
  }
  if (state.kind == ContainerKind::none) {
    return;
  }
  const std::string triplet = "/usr/lib/" + host.machine + "-linux-gnu/";
  for (const std::string& path :
       {triplet + "libcuda.so.1", triplet + "libnvidia-ml.so.1",
        std::string("/usr/lib64/libcuda.so.1"), std::string("/usr/lib64/libnvidia-ml.so.1"),
        std::string("/usr/bin/nvidia-smi")}) {
    const auto status = file_status(host.at(path));
    if (status && status->kind == FileKind::regular && status->size == 0) {
      state.empty_files.push_back(path);
    }
  }
}

}  // namespace

std::vector<std::string> driver_versions_in(std::string_view text) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"libcuda.so.", "libnvidia-ml.so.", "libnvidia-ptxjitcompiler.so."});
  constexpr std::size_t kMostVersions = 8;
  std::vector<std::string> versions;
  for (const std::string_view name : kNames) {
    for (std::size_t at = text.find(name); at != std::string_view::npos;
         at = text.find(name, at + 1)) {
      std::string_view version = text.substr(at + name.size(), 32);
      version = version.substr(0, version.find_first_not_of("0123456789."));
      while (version.ends_with('.')) {
        version.remove_suffix(1);
      }
      // A driver's number has three digits in front: ".so.1" is the SONAME's.
      if (version.find('.') != 3 || std::ranges::find(versions, version) != versions.end() ||
          versions.size() == kMostVersions) {
        continue;
      }
      versions.emplace_back(version);
    }
  }
  return versions;
}

ContainerState observe_container(const Host& host, const MountTable& mounts) {
  ContainerState state;
  if (host.is_windows()) {
    return state;
  }
  state.group = own_group(host);
  if (const Mount* root = mounts.holding("/")) {
    state.root_type = Fact<std::string>::present(root->type, "/proc/self/mountinfo");
  }
  find_marks(host, state);
  read_podman(host, state);
  find_gpu(host, mounts, state);
  state.wishes =
      variables_of(host,
                   {"CUDA_VERSION", "NVIDIA_DISABLE_REQUIRE", "NVIDIA_DRIVER_CAPABILITIES",
                    "NVIDIA_REQUIRE_CUDA", "NVIDIA_VISIBLE_DEVICES"},
                   {"NVIDIA_", "NV_CUDA_", "NV_CUDNN_"});
  state.toolkit = observe_container_toolkit(host);
  return state;
}

}  // namespace plumb

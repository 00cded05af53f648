// SPDX-License-Identifier: Apache-2.0
#include "observe/device_nodes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::size_t kMostNodes = 1024;
constexpr const char* kDevices = "/proc/devices";

/// Names under which /proc/devices may list the driver behind a node; drivers before 550 have one
/// name for all of major 195.
std::vector<std::string> driver_names(std::string_view name) {
  if (name.starts_with("nvidia-uvm")) {
    return {"nvidia-uvm"};
  }
  if (name.starts_with("nvidia-cap")) {
    return {"nvidia-caps"};
  }
  if (name.starts_with("nvidia-nvswitch")) {
    return {"nvidia-nvswitch"};
  }
  if (name.starts_with("nvidia-nvlink")) {
    return {"nvidia-nvlink"};
  }
  if (name == "nvidiactl" || name == "nvidia-modeset") {
    return {std::string(name), "nvidia", "nvidia-frontend"};
  }
  const bool is_card = name.starts_with("nvidia") && parse_decimal(name.substr(6)).has_value();
  return is_card ? std::vector<std::string>{"nvidia", "nvidia-frontend"}
                 : std::vector<std::string>{};
}

/// Those that a process may see: 1 and 2 configure and watch MIG, the rest are its instances.
constexpr unsigned kMostCapabilities = 64;
constexpr std::uint32_t kMostChannels = 64;

class Collector {
 public:
  Collector(const Host& host, LinuxDriver& driver,
            const std::function<Result<NodeStatus>(const std::string&)>& status)
      : host_(host), driver_(driver), status_(status) {
    const auto text = read_text_file(host.at(kDevices), 256 << 10);
    if (text) {
      majors_ = parse_proc_devices(*text);
    }
  }

  void add_folder(const std::string& folder) {
    for (const DirectoryEntry& entry : entries_of(host_, folder)) {
      if (entry.name.starts_with("nvidia") && entry.kind != FileKind::directory &&
          driver_.nodes.size() < kMostNodes) {
        add(folder + "/" + entry.name, entry.name);
      }
    }
  }

  /// By name, one after the other: even a folder of NVIDIA's below /dev is not opened.
  void add_capabilities() {
    for (unsigned number = 1; number <= kMostCapabilities; ++number) {
      const std::string name = "nvidia-cap" + std::to_string(number);
      add("/dev/nvidia-caps/" + name, name);
    }
    while (driver_.imex_channels < kMostChannels &&
           status_(host_.at("/dev/nvidia-caps-imex-channels/channel" +
                            std::to_string(driver_.imex_channels)))) {
      ++driver_.imex_channels;
    }
  }

  void expect(const std::string& path) {
    const auto hit = std::ranges::find(driver_.nodes, path, &DeviceNode::path);
    if (hit == driver_.nodes.end() || !hit->is_device) {
      driver_.missing_nodes.push_back(path);
    }
  }

 private:
  void add(const std::string& path, std::string_view name) {
    const auto seen = status_(host_.at(path));
    if (!seen) {
      return;  // a link to nowhere, or taken away in between
    }
    DeviceNode node{path,          seen->is_device, seen->major, seen->minor,
                    seen->mode,    seen->owner,     seen->group, Fact<bool>::absent(path),
                    major_of(name)};
    if (host_.root.empty()) {
      node.accessible = Fact<bool>::present(seen->accessible, path);
    }
    driver_.nodes.push_back(std::move(node));
  }

  Fact<std::uint64_t> major_of(std::string_view name) const {
    for (const std::string& driver : driver_names(name)) {
      if (const auto hit = majors_.find(driver); hit != majors_.end()) {
        return Fact<std::uint64_t>::present(hit->second, kDevices);
      }
    }
    return Fact<std::uint64_t>::absent(kDevices);
  }

  const Host& host_;
  LinuxDriver& driver_;
  const std::function<Result<NodeStatus>(const std::string&)>& status_;
  std::map<std::string, std::uint64_t> majors_;
};

bool is_loaded(const LinuxDriver& driver, std::string_view name) {
  return std::ranges::find(driver.modules, name, &LoadedModule::name) != driver.modules.end();
}

}  // namespace

std::map<std::string, std::uint64_t> parse_proc_devices(std::string_view text) {
  std::map<std::string, std::uint64_t> majors;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line == "Block devices:") {
      break;
    }
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) {
      continue;
    }
    if (const auto number = parse_decimal(line.substr(0, blank))) {
      majors.emplace(trim(line.substr(blank + 1)), *number);
    }
  }
  return majors;
}

void observe_device_nodes(const Host& host, LinuxDriver& driver,
                          const std::function<Result<NodeStatus>(const std::string&)>& status) {
  Collector collector(host, driver, status);
  collector.add_folder("/dev");
  collector.add_capabilities();
  if (!is_loaded(driver, "nvidia")) {
    return;
  }
  collector.expect("/dev/nvidiactl");
  for (const ModuleCard& card : driver.cards) {
    if (card.minor && !card.excluded.value.value_or(false)) {
      collector.expect("/dev/nvidia" + std::to_string(*card.minor.value));
    }
  }
  if (is_loaded(driver, "nvidia_uvm")) {
    collector.expect("/dev/nvidia-uvm");
  }
}

}  // namespace plumb

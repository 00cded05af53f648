// SPDX-License-Identifier: Apache-2.0
#include "observe/cards.h"

#include "base/text.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

std::string container_mark(const Host& host) {
  for (const char* file : {"/.dockerenv", "/run/.containerenv", "/run/systemd/container"}) {
    if (is_file(host.at(file))) {
      return file;
    }
  }
  for (const char* name :
       {"KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "container"}) {
    if (host.set_variable(name)) {
      return name;
    }
  }
  return {};
}

/// ID of os-release; the value may stand in quotes, as in a shell.
std::string distribution(const Host& host) {
  auto text = read_text_file(host.at("/etc/os-release"));
  if (!text) {
    text = read_text_file(host.at("/usr/lib/os-release"));
  }
  if (text) {
    for (std::string_view line : split(*text, '\n')) {
      line = trim(line);
      if (line.starts_with("ID=")) {
        std::string id(line.substr(3));
        std::erase_if(id, [](char c) { return c == '"' || c == '\''; });
        return id;
      }
    }
  }
  return {};
}

}  // namespace

std::vector<SeenCard> nvidia_cards(const HardwareFacts& hardware) {
  std::vector<SeenCard> cards;
  for (const GpuDevice& device : hardware.devices) {
    if (device.is_nvidia && device.presence != Presence::gone) {
      cards.push_back({device.device, device.subsystem_vendor, device.subsystem_device,
                       device.class_code, device.location, device.driver, device.problem,
                       device.origin});
    }
  }
  return cards;
}

SystemFacts observe_system(const Host& host) {
  SystemFacts facts{host.system, host.machine, {}, false, {}};
  if (host.is_windows()) {
    return facts;
  }
  // Kernels that people build themselves may lack the word; the device is WSL's alone.
  const auto release = read_text_file(host.at("/proc/sys/kernel/osrelease"));
  facts.wsl = (release && to_lower_ascii(*release).find("microsoft") != std::string::npos) ||
              file_status(host.at("/dev/dxg")).value_or(FileStatus{}).kind == FileKind::special;
  facts.container_mark = container_mark(host);
  facts.distribution = distribution(host);
  return facts;
}

}  // namespace plumb

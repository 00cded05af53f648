// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_services.h"

#include <string>

#include "base/text.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

/// The daemon leaves its number behind when it is killed, so the process is looked at.
Fact<bool> persistence_daemon(const Host& host) {
  const std::string path = "/run/nvidia-persistenced/nvidia-persistenced.pid";
  const Fact<std::uint64_t> process = number_fact(host, path);
  if (!process) {
    return process.fault ? without_value<bool>(process) : Fact<bool>::present(false, path);
  }
  const Fact<std::string> name =
      line_fact(host, "/proc/" + std::to_string(*process.value) + "/comm");
  // The kernel keeps 15 bytes of a name.
  return Fact<bool>::present(name.value == "nvidia-persiste", path);
}

Fact<bool> fabric_manager_running(const Host& host) {
  const std::string path = "/sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs";
  const auto processes = read_text_file(host.at(path));
  return processes ? Fact<bool>::present(!trim(*processes).empty(), path)
                   : fact_of_error<bool>(processes.error(), path);
}

}  // namespace

DriverServices observe_driver_services(const Host& host) {
  DriverServices facts;
  facts.persistence_daemon = persistence_daemon(host);
  const std::string program = "/usr/bin/nv-fabricmanager";
  facts.fabric_manager = exists(host, program) ? Fact<std::string>::present(program, program)
                                               : Fact<std::string>::absent(program);
  facts.fabric_manager_running = fabric_manager_running(host);
  return facts;
}

}  // namespace plumb

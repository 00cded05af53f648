// SPDX-License-Identifier: Apache-2.0
#include "observe/system_state.h"

#include "observe/container_state.h"
#include "observe/cpu_state.h"
#include "observe/disks.h"
#include "observe/job_state.h"
#include "observe/linux_release.h"
#include "observe/memory_limits.h"
#include "observe/mount_table.h"
#include "observe/process_variables.h"
#include "observe/search_paths.h"
#include "observe/windows_system.h"
#include "observe/wsl_state.h"

namespace plumb {

SystemState observe_system_state(const Host& host, const std::string& environment) {
  const MountTable mounts = MountTable::read(host);
  SystemState state;
  if (host.is_windows()) {
    state.windows = observe_windows_system(host);
  } else {
    state.linux_release = observe_linux_release(host);
  }
  state.cpu = observe_cpu(host);
  state.memory = observe_memory(host);
  state.limits = observe_limits(host);
  state.disks = observe_disks(host, mounts, environment);
  state.paths = observe_search_paths(host, mounts);
  state.proxies = observe_proxies(host, mounts);
  state.variables = observe_program_variables(host);
  state.container = observe_container(host, mounts);
  state.wsl = observe_wsl(host);
  state.jobs = observe_jobs(host);
  state.board = observe_board(host);
  return state;
}

}  // namespace plumb

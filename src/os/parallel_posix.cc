// SPDX-License-Identifier: Apache-2.0
#include "os/parallel.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "os/cgroup_quota.h"

namespace plumb {
namespace {

unsigned count_cores() {
  unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // Fails on machines with more than 1024 processors; the count above then stands.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    cores = static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
  }
  if (const auto quota = cgroup_cpu_quota()) {
    const double rounded_up = std::ceil(std::min(*quota, static_cast<double>(cores)));
    cores = std::clamp(static_cast<unsigned>(rounded_up), 1U, cores);
  }
  return cores;
}

}  // namespace

unsigned usable_cores() {
  static const unsigned cores = count_cores();
  return cores;
}

}  // namespace plumb

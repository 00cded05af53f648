// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the processor can do, as the Linux loader's glibc-hwcaps folders name it.

#include <string>
#include <vector>

namespace plumb {

/// "x86-64-v4", "x86-64-v3", "x86-64-v2": those levels that this processor and system offer, best
/// first; empty on other machines.
[[nodiscard]] std::vector<std::string> cpu_levels();
/// "haswell" or "xeon_phi" as glibc tells Intel's processors apart, else the machine's name: what
/// $PLATFORM stands for in a search path.
[[nodiscard]] std::string cpu_platform();

/// Those of "avx", "avx2", "avx512f", "fma" and "hypervisor" that this processor and system offer,
/// as /proc/cpuinfo names them; empty on other machines than x86-64. "hypervisor" is set under
/// Windows with Hyper-V on the real machine, too.
[[nodiscard]] std::vector<std::string> cpu_features();

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The rules are glibc's (sysdeps/x86/dl-hwcap.h, cpu-features.c); the compiler's own check asks the
// processor and whether the system saves the wide registers.
#include "os/cpu_level.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "os/environment.h"

namespace plumb {

#ifdef __x86_64__

std::vector<std::string> cpu_features() {
  __builtin_cpu_init();
  std::vector<std::string> features;
  if (__builtin_cpu_supports("avx")) {
    features.emplace_back("avx");
  }
  if (__builtin_cpu_supports("avx2")) {
    features.emplace_back("avx2");
  }
  if (__builtin_cpu_supports("avx512f")) {
    features.emplace_back("avx512f");
  }
  if (__builtin_cpu_supports("fma")) {
    features.emplace_back("fma");
  }
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 31U & 1U) != 0) {
    features.emplace_back("hypervisor");
  }
  return features;
}

std::vector<std::string> cpu_levels() {
  __builtin_cpu_init();
  std::vector<std::string> levels;
  if (__builtin_cpu_supports("x86-64-v4")) {
    levels.emplace_back("x86-64-v4");
  }
  if (__builtin_cpu_supports("x86-64-v3")) {
    levels.emplace_back("x86-64-v3");
  }
  if (__builtin_cpu_supports("x86-64-v2")) {
    levels.emplace_back("x86-64-v2");
  }
  return levels;
}

std::string cpu_platform() {
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") && __builtin_cpu_supports("x86-64-v3")) {
    return __builtin_cpu_supports("avx512er") ? "xeon_phi" : "haswell";
  }
  return std::string(machine_name());
}

#else

std::vector<std::string> cpu_features() {
  return {};
}

std::vector<std::string> cpu_levels() {
  return {};
}

std::string cpu_platform() {
  return std::string(machine_name());
}

#endif

}  // namespace plumb

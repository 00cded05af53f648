// SPDX-License-Identifier: Apache-2.0
// What the running processor offers is asked of itself (cpuid); of a mounted Linux its kept
// /proc/cpuinfo tells, if there is one.
#include "observe/cpu_state.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "observe/text_fact.h"
#include "os/cpu_level.h"

namespace plumb {
namespace {

constexpr const char* kCpuInfo = "/proc/cpuinfo";
constexpr std::uint64_t kLargestCpuInfo = 16 << 20;  // some 2 kB for each of thousands
constexpr const char* kProcessors = "HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor";
constexpr const char* kBios = "HKLM\\HARDWARE\\DESCRIPTION\\System\\BIOS";

struct Level {
  std::string_view name;
  std::vector<std::string_view> flags;
};

/// x86-64 psABI, table 3.1, in the kernel's names; best first.
const std::array<Level, 3>& levels() {
  static const std::array<Level, 3> list = {
      Level{"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
      Level{"x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}},
      Level{"x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}}};
  return list;
}

std::string level_of(const std::vector<std::string_view>& flags) {
  std::string best = "x86-64";
  for (auto level = levels().rbegin(); level != levels().rend(); ++level) {
    const bool all = std::ranges::all_of(level->flags, [&](std::string_view flag) {
      return std::ranges::find(flags, flag) != flags.end();
    });
    if (!all) {
      break;
    }
    best = level->name;
  }
  return best;
}

void set_features(CpuFacts& cpu, const std::vector<std::string_view>& features,
                  const std::string& origin) {
  const auto has = [&](std::string_view name) {
    return Fact<bool>::present(std::ranges::find(features, name) != features.end(), origin);
  };
  cpu.avx = has("avx");
  cpu.avx2 = has("avx2");
  cpu.avx512f = has("avx512f");
  cpu.fma = has("fma");
  cpu.hypervisor = has("hypervisor");
}

void observe_cpuinfo(const Host& host, CpuFacts& cpu) {
  const auto text = read_text_file(host.at(kCpuInfo), kLargestCpuInfo);
  if (!text) {
    if (text.error().code != ErrorCode::not_found) {
      cpu.model = Fact<std::string>::unreadable(text.error(), kCpuInfo);
      cpu.logical = Fact<std::uint64_t>::unreadable(text.error(), kCpuInfo);
    }
    return;
  }
  std::uint64_t processors = 0;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string_view name = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "processor") {
      ++processors;
    } else if (name == "model name" && !cpu.model && !value.empty()) {
      cpu.model = Fact<std::string>::present(std::string(value), kCpuInfo);
    } else if (name == "flags" && !cpu.level) {
      const auto flags = split(value, ' ');
      cpu.level = Fact<std::string>::present(level_of(flags), kCpuInfo);
      set_features(cpu, flags, kCpuInfo);
    }
  }
  if (processors > 0) {
    cpu.logical = Fact<std::uint64_t>::present(processors, kCpuInfo);
  }
}

void observe_windows_cpu(const Host& host, CpuFacts& cpu) {
  cpu.model = converted<std::string>(
      registry_text(*host.registry, std::string(kProcessors) + "\\0", "ProcessorNameString"),
      [](const std::string& text) { return std::optional(std::string(trim(text))); });
  const std::size_t count = registry_subkeys(*host.registry, kProcessors).size();
  cpu.logical = count > 0 ? Fact<std::uint64_t>::present(count, kProcessors)
                          : Fact<std::uint64_t>::absent(kProcessors);
  cpu.vendor = registry_text(*host.registry, kBios, "SystemManufacturer");
  cpu.product = registry_text(*host.registry, kBios, "SystemProductName");
}

}  // namespace

CpuFacts observe_cpu(const Host& host) {
  CpuFacts cpu;
  cpu.model.origin = cpu.logical.origin = cpu.level.origin = kCpuInfo;
  if (host.is_windows()) {
    observe_windows_cpu(host, cpu);
  } else {
    observe_cpuinfo(host, cpu);
    cpu.vendor = fact_of_line(host, "/sys/class/dmi/id/sys_vendor");
    cpu.product = fact_of_line(host, "/sys/class/dmi/id/product_name");
  }
  if (host.root.empty() && host.machine == "x86_64") {
    const auto best = cpu_levels();
    cpu.level = Fact<std::string>::present(best.empty() ? "x86-64" : best.front(), "cpuid");
    const auto features = cpu_features();
    set_features(cpu, {features.begin(), features.end()}, "cpuid");
  }
  return cpu;
}

}  // namespace plumb

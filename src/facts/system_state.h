// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of the operating system and of what this process was given of the machine, for judge
// and report. Values that only a running system's calls can tell are absent for a mounted one.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/container_state.h"
#include "facts/fact.h"
#include "facts/fields.h"
#include "facts/process_state.h"
#include "facts/windows_system.h"

namespace plumb {

/// os-release(5), the kernel and the C library.
struct LinuxRelease {
  Fact<std::string> id;           // "ubuntu"
  Fact<std::string> version_id;   // "24.04"
  Fact<std::string> id_like;      // "debian"
  Fact<std::string> pretty_name;  // "Ubuntu 24.04.2 LTS"
  Fact<std::string> kernel;       // "6.8.0-60-generic"
  Fact<std::string> glibc;        // "2.39", from the bytes of libc.so.6 or ld.so
  Fact<std::string> musl;         // path of musl's loader; wheels for manylinux do not load there
};

void fields(auto& visit, Is<LinuxRelease> auto& x) {
  visit("id", x.id);
  visit("version_id", x.version_id);
  visit("id_like", x.id_like);
  visit("pretty_name", x.pretty_name);
  visit("kernel", x.kernel);
  visit("glibc", x.glibc);
  visit("musl", x.musl);
}

/// The processor. avx ... fma count only where the system saves their registers, too.
struct CpuFacts {
  Fact<std::string> model;      // "AMD EPYC 9654 96-Core Processor"
  Fact<std::uint64_t> logical;  // processors of the machine, whatever this process may use
  Fact<std::string> level;      // "x86-64-v3"; "x86-64" = none of the levels above it
  Fact<bool> avx;
  Fact<bool> avx2;
  Fact<bool> avx512f;
  Fact<bool> fma;
  /// A hypervisor lies below; on Windows also on the real machine where Hyper-V is on.
  Fact<bool> hypervisor;
  Fact<std::string> vendor;   // of the machine, DMI: "QEMU", "Dell Inc."
  Fact<std::string> product;  // "Standard PC (Q35 + ICH9, 2009)"
};

void fields(auto& visit, Is<CpuFacts> auto& x) {
  visit("model", x.model);
  visit("logical", x.logical);
  visit("level", x.level);
  visit("avx", x.avx);
  visit("avx2", x.avx2);
  visit("avx512f", x.avx512f);
  visit("fma", x.fma);
  visit("hypervisor", x.hypervisor);
  visit("vendor", x.vendor);
  visit("product", x.product);
}

/// A memory limit of one control group on the way up from this process's own; groups without one
/// are left out.
struct MemoryLimit {
  std::uint64_t limit_bytes = 0;
  std::optional<std::uint64_t> used_bytes;
  std::string origin;  // "/sys/fs/cgroup/job/memory.max"
};

void fields(auto& visit, Is<MemoryLimit> auto& x) {
  visit("limit_bytes", x.limit_bytes);
  visit("used_bytes", x.used_bytes);
  visit("origin", x.origin);
}

/// One entry of PagingFiles.
struct PageFile {
  std::string path;             // "C:\\pagefile.sys"; "?:\\pagefile.sys" = wherever Windows likes
  bool system_managed = false;  // no fixed size
  std::uint64_t initial_mib = 0;
  std::uint64_t maximum_mib = 0;
};

void fields(auto& visit, Is<PageFile> auto& x) {
  visit("path", x.path);
  visit("system_managed", x.system_managed);
  visit("initial_mib", x.initial_mib);
  visit("maximum_mib", x.maximum_mib);
}

struct MemoryFacts {
  Fact<std::uint64_t> total_bytes;  // of the machine; in a container, too
  Fact<std::uint64_t> available_bytes;
  Fact<std::uint64_t> swap_total_bytes;         // Linux
  Fact<std::uint64_t> swap_free_bytes;          // Linux
  Fact<std::uint64_t> commit_limit_bytes;       // Windows: memory and page files together
  Fact<std::uint64_t> commit_available_bytes;   // Windows: error 1455 where it runs out
  std::vector<MemoryLimit> group_limits;        // Linux; own group first
  Fact<std::uint64_t> group_limit_bytes;        // the smallest of them
  Fact<std::vector<PageFile>> page_files;       // Windows, as set; an empty list = none
  Fact<std::vector<std::string>> active_files;  // Windows: page files in use since the last start
};

void fields(auto& visit, Is<MemoryFacts> auto& x) {
  visit("total_bytes", x.total_bytes);
  visit("available_bytes", x.available_bytes);
  visit("swap_total_bytes", x.swap_total_bytes);
  visit("swap_free_bytes", x.swap_free_bytes);
  visit("commit_limit_bytes", x.commit_limit_bytes);
  visit("commit_available_bytes", x.commit_available_bytes);
  visit("group_limits", x.group_limits);
  visit("group_limit_bytes", x.group_limit_bytes);
  visit("page_files", x.page_files);
  visit("active_files", x.active_files);
}

/// getrlimit(2); an empty number = unlimited.
struct ProcessLimit {
  std::optional<std::uint64_t> soft;
  std::optional<std::uint64_t> hard;
};

void fields(auto& visit, Is<ProcessLimit> auto& x) {
  visit("soft", x.soft);
  visit("hard", x.hard);
}

/// Linux only.
struct LimitFacts {
  Fact<ProcessLimit> open_files;
  Fact<ProcessLimit> locked_memory_bytes;  // small: RDMA and NCCL fail
  Fact<ProcessLimit> stack_bytes;
  Fact<ProcessLimit> processes;
  Fact<std::uint64_t> shm_total_bytes;  // /dev/shm; Docker's 64 MB end data loaders by "bus error"
  Fact<std::uint64_t> shm_free_bytes;
  Fact<double> cpu_quota;    // processors by control group: 1.5
  Fact<std::string> cpuset;  // "0-3,8"
};

void fields(auto& visit, Is<LimitFacts> auto& x) {
  visit("open_files", x.open_files);
  visit("locked_memory_bytes", x.locked_memory_bytes);
  visit("stack_bytes", x.stack_bytes);
  visit("processes", x.processes);
  visit("shm_total_bytes", x.shm_total_bytes);
  visit("shm_free_bytes", x.shm_free_bytes);
  visit("cpu_quota", x.cpu_quota);
  visit("cpuset", x.cpuset);
}

enum class DiskPurpose : std::uint8_t {
  root,  // "/" or the system drive
  home,
  temp,
  pip_cache,
  uv_cache,
  hf_cache,
  environment
};
constexpr auto enum_names(DiskPurpose) {
  return std::to_array<std::string_view>(
      {"root", "home", "temp", "pip_cache", "uv_cache", "hf_cache", "environment"});
}

/// Room where programs write. On network file systems nothing is asked, because a server that does
/// not answer would stop plumb: the sizes are unreadable then.
struct DiskFacts {
  DiskPurpose purpose = DiskPurpose::root;
  std::string path;         // may not exist yet; the room is that of the nearest folder above
  std::string mount;        // Linux: the mount that holds it; Windows: ""
  Fact<std::string> type;   // "ext4", "overlay", "nfs4", "NTFS"
  bool on_network = false;  // NFS, SMB, Lustre ...; Windows: a share or a drive for one
  Fact<std::uint64_t> total_bytes;
  Fact<std::uint64_t> free_bytes;  // that this user may take
  std::string origin;              // the variable that names it, or "usual place"
};

void fields(auto& visit, Is<DiskFacts> auto& x) {
  visit("purpose", x.purpose);
  visit("path", x.path);
  visit("mount", x.mount);
  visit("type", x.type);
  visit("on_network", x.on_network);
  visit("total_bytes", x.total_bytes);
  visit("free_bytes", x.free_bytes);
  visit("origin", x.origin);
}

struct SystemState {
  LinuxRelease linux_release;  // all absent on Windows
  WindowsSystem windows;       // all absent on Linux
  CpuFacts cpu;
  MemoryFacts memory;
  LimitFacts limits;
  std::vector<DiskFacts> disks;
  SearchPaths paths;
  ProxyFacts proxies;
  std::vector<Variable> variables;  // that change what programs for GPUs do; sorted by name
  ContainerState container;
  WslState wsl;
  JobState jobs;
  BoardState board;
};

void fields(auto& visit, Is<SystemState> auto& x) {
  visit("linux_release", x.linux_release);
  visit("windows", x.windows);
  visit("cpu", x.cpu);
  visit("memory", x.memory);
  visit("limits", x.limits);
  visit("disks", x.disks);
  visit("paths", x.paths);
  visit("proxies", x.proxies);
  visit("variables", x.variables);
  visit("container", x.container);
  visit("wsl", x.wsl);
  visit("jobs", x.jobs);
  visit("board", x.board);
}

}  // namespace plumb

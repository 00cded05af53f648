// SPDX-License-Identifier: Apache-2.0
#include "observe/memory_limits.h"

#include <algorithm>

#include "base/text.h"
#include "observe/text_fact.h"
#include "os/cgroup_quota.h"
#include "os/disk_space.h"
#include "os/memory_state.h"

namespace plumb {
namespace {

constexpr const char* kMemInfo = "/proc/meminfo";
constexpr const char* kLimits = "/proc/self/limits";
constexpr const char* kShm = "/dev/shm";
constexpr const char* kMemoryManagement =
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management";
// cgroup v1 writes the largest multiple of a page that fits 63 bits for "no limit".
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60U;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase(words, std::string_view{});
  return words;
}

Fact<std::uint64_t> meminfo_bytes(const Host& host, std::string_view name) {
  auto fact = fact_of_file<std::uint64_t>(
      host, kMemInfo, [name](std::string_view text) -> std::optional<std::uint64_t> {
        for (const std::string_view line : split(text, '\n')) {
          if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) {
            continue;
          }
          const auto words = words_of(trim(line.substr(name.size() + 1)));
          const auto number = words.empty() ? std::nullopt : parse_decimal(words[0]);
          constexpr std::uint64_t kMost = ~std::uint64_t{0} / 1024;
          return number && *number <= kMost ? std::optional(*number * 1024) : std::nullopt;
        }
        return std::nullopt;
      });
  return fact;
}

/// A path as opened below the host's root, as the machine itself names it.
std::string own_path(const Host& host, const std::string& path) {
  std::string own = path.substr(std::min(host.root.size(), path.size()));
  std::ranges::replace(own, '\\', '/');
  return own.starts_with("//") ? own.substr(1) : own;
}

void observe_group_limits(const Host& host, MemoryFacts& memory) {
  for (const CgroupFolder& folder : cgroup_folders("memory", host.root.empty() ? "/" : host.root)) {
    const std::string file = folder.path + (folder.v2 ? "/memory.max" : "/memory.limit_in_bytes");
    const auto text = read_text_file(file, 4096);
    const auto limit = text ? parse_decimal(trim(*text)) : std::nullopt;  // "max" is none
    if (!limit || *limit >= kNoLimit) {
      continue;
    }
    const auto used = read_text_file(
        folder.path + (folder.v2 ? "/memory.current" : "/memory.usage_in_bytes"), 4096);
    const std::string origin = own_path(host, file);
    memory.group_limits.push_back(
        {*limit, used ? parse_decimal(trim(*used)) : std::nullopt, origin});
    if (!memory.group_limit_bytes || *limit < *memory.group_limit_bytes.value) {
      memory.group_limit_bytes = Fact<std::uint64_t>::present(*limit, origin);
    }
  }
}

void observe_windows_memory(const Host& host, MemoryFacts& memory) {
  memory.page_files = converted<std::vector<PageFile>>(
      registry_list(*host.registry, kMemoryManagement, "PagingFiles"),
      [](const std::vector<std::string>& lines) {
        std::vector<PageFile> files;
        for (const std::string& line : lines) {
          if (!trim(line).empty()) {
            files.push_back(parse_page_file(line));
          }
        }
        return std::optional(std::move(files));
      });
  memory.active_files = converted<std::vector<std::string>>(
      registry_list(*host.registry, kMemoryManagement, "ExistingPageFiles"),
      [](std::vector<std::string> paths) {
        for (std::string& path : paths) {
          if (path.starts_with("\\??\\")) {
            path.erase(0, 4);
          }
        }
        return std::optional(std::move(paths));
      });
  if (!host.root.empty()) {
    return;
  }
  const auto state = memory_state();
  const std::string origin = "GlobalMemoryStatusEx";
  const auto fact = [&](std::uint64_t MemoryState::* part) {
    return state ? Fact<std::uint64_t>::present((*state).*part, origin)
                 : Fact<std::uint64_t>::unreadable(state.error(), origin);
  };
  memory.total_bytes = fact(&MemoryState::total_bytes);
  memory.available_bytes = fact(&MemoryState::available_bytes);
  memory.commit_limit_bytes = fact(&MemoryState::commit_limit_bytes);
  memory.commit_available_bytes = fact(&MemoryState::commit_available_bytes);
}

std::optional<std::string> first_line_in(const std::vector<CgroupFolder>& folders,
                                         std::string_view v2, std::string_view v1,
                                         std::string& origin) {
  for (const CgroupFolder& folder : folders) {
    const std::string file = folder.path + "/" + std::string(folder.v2 ? v2 : v1);
    const auto text = read_text_file(file, 1 << 16);
    if (text && !trim(*text).empty()) {
      origin = file;
      return std::string(trim(*text));
    }
  }
  return std::nullopt;
}

}  // namespace

PageFile parse_page_file(std::string_view text) {
  PageFile file;
  text = trim(text);
  // The path may hold blanks; up to two numbers stand at the end.
  std::vector<std::uint64_t> numbers;
  while (numbers.size() < 2) {
    const std::size_t blank = text.rfind(' ');
    const auto number =
        blank == std::string_view::npos ? std::nullopt : parse_decimal(text.substr(blank + 1));
    if (!number) {
      break;
    }
    numbers.insert(numbers.begin(), *number);
    text = trim(text.substr(0, blank));
  }
  file.path = text;
  file.initial_mib = numbers.empty() ? 0 : numbers.front();
  file.maximum_mib = numbers.empty() ? 0 : numbers.back();
  file.system_managed = file.maximum_mib == 0;
  return file;
}

std::optional<ProcessLimit> parse_process_limit(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) {
      continue;
    }
    const auto words = words_of(line.substr(name.size()));
    if (words.size() < 2) {
      return std::nullopt;
    }
    ProcessLimit limit{parse_decimal(words[0]), parse_decimal(words[1])};
    const bool sane =
        (limit.soft || words[0] == "unlimited") && (limit.hard || words[1] == "unlimited");
    return sane ? std::optional(limit) : std::nullopt;
  }
  return std::nullopt;
}

MemoryFacts observe_memory(const Host& host) {
  MemoryFacts memory;
  if (host.is_windows()) {
    observe_windows_memory(host, memory);
    return memory;
  }
  memory.total_bytes = meminfo_bytes(host, "MemTotal");
  memory.available_bytes = meminfo_bytes(host, "MemAvailable");
  memory.swap_total_bytes = meminfo_bytes(host, "SwapTotal");
  memory.swap_free_bytes = meminfo_bytes(host, "SwapFree");
  observe_group_limits(host, memory);
  return memory;
}

LimitFacts observe_limits(const Host& host) {
  LimitFacts limits;
  if (host.is_windows()) {
    return limits;
  }
  const auto limit = [&](std::string_view name) {
    return fact_of_file<ProcessLimit>(
        host, kLimits, [name](std::string_view text) { return parse_process_limit(text, name); });
  };
  limits.open_files = limit("Max open files");
  limits.locked_memory_bytes = limit("Max locked memory");
  limits.stack_bytes = limit("Max stack size");
  limits.processes = limit("Max processes");
  const std::string root = host.root.empty() ? "/" : host.root;
  if (const auto quota = cgroup_cpu_quota(root)) {
    limits.cpu_quota = Fact<double>::present(*quota, "/proc/self/cgroup");
  }
  std::string origin;
  if (auto set = first_line_in(cgroup_folders("cpuset", root), "cpuset.cpus.effective",
                               "cpuset.effective_cpus", origin)) {
    limits.cpuset = Fact<std::string>::present(*std::move(set), own_path(host, origin));
  }
  if (host.root.empty() && is_folder(kShm)) {
    const auto space = disk_space(kShm);
    limits.shm_total_bytes = space ? Fact<std::uint64_t>::present(space->total_bytes, kShm)
                                   : Fact<std::uint64_t>::unreadable(space.error(), kShm);
    limits.shm_free_bytes = space ? Fact<std::uint64_t>::present(space->free_bytes, kShm)
                                  : Fact<std::uint64_t>::unreadable(space.error(), kShm);
  }
  return limits;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// /proc/self/cgroup names this process's group: "0::/user.slice/x" (v2) or
// "4:cpu,cpuacct:/docker/id" (v1). A quota of a group above counts, too. In a container the path
// may be one of the host's that does not exist here; the walk upwards then ends at the mount's own
// files, which are the container's.
#include "os/cgroup_quota.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::size_t kMostFolders = 1000;

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  const auto numerator = parse_decimal(trim(quota));  // "max" and "-1" are no numbers: no quota
  const auto denominator = parse_decimal(trim(period));
  if (!numerator || !denominator || *numerator == 0 || *denominator == 0) {
    return std::nullopt;
  }
  return static_cast<double>(*numerator) / static_cast<double>(*denominator);
}

std::optional<double> quota_v2(const std::string& folder) {
  const auto text = read_text_file(join_path(folder, "cpu.max"), 4096);
  if (!text) {
    return std::nullopt;
  }
  const auto words = split(trim(*text), ' ');
  return words.size() == 2 ? ratio(words[0], words[1]) : std::nullopt;
}

std::optional<double> quota_v1(const std::string& folder) {
  const auto quota = read_text_file(join_path(folder, "cpu.cfs_quota_us"), 4096);
  const auto period = read_text_file(join_path(folder, "cpu.cfs_period_us"), 4096);
  return quota && period ? ratio(*quota, *period) : std::nullopt;
}

std::optional<double> smallest(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

bool names(std::string_view controllers, std::string_view controller) {
  const auto parts = split(controllers, ',');
  return std::ranges::find(parts, controller) != parts.end();
}

void add_upwards(const std::string& mount, std::string_view group, bool v2,
                 std::vector<CgroupFolder>& folders) {
  while (group.size() > 1 && folders.size() < kMostFolders) {
    folders.push_back({mount + std::string(group), v2});
    group = group.substr(0, group.rfind('/'));
  }
  folders.push_back({mount, v2});
}

}  // namespace

std::vector<CgroupFolder> cgroup_folders(std::string_view controller, const std::string& root) {
  std::vector<CgroupFolder> folders;
  const auto table = read_text_file(join_path(root, "proc/self/cgroup"), 1U << 16U);
  if (!table) {
    return folders;
  }
  for (const std::string_view line : split(*table, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (!group.starts_with('/') || group.contains("..")) {
      continue;
    }
    if (controllers.empty()) {
      add_upwards(join_path(root, "sys/fs/cgroup"), group, true, folders);
    } else if (names(controllers, controller)) {
      const std::string mount = "sys/fs/cgroup/" + std::string(controllers);
      add_upwards(join_path(root, mount), group, false, folders);
    }
  }
  return folders;
}

std::optional<double> cgroup_cpu_quota(const std::string& root) {
  std::optional<double> quota;
  for (const CgroupFolder& folder : cgroup_folders("cpu", root)) {
    quota = smallest(quota, folder.v2 ? quota_v2(folder.path) : quota_v1(folder.path));
  }
  return quota;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which file system a path of Linux lies on, from /proc/self/mountinfo (proc_pid_mountinfo(5)).
// Asked before a path is touched: a network server that does not answer stops whoever looks at its
// files.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "observe/host.h"

namespace plumb {

struct Mount {
  std::string point;   // "/home"; escapes of blanks decoded
  std::string root;    // the folder or file of the file system that is mounted there
  std::string type;    // "ext4"
  std::string source;  // "/dev/sda1", "server:/export"
};

/// NFS, SMB, the parallel file systems, and what may mount one when touched (autofs).
[[nodiscard]] bool is_network_type(std::string_view type);

class MountTable {
 public:
  MountTable() = default;
  [[nodiscard]] static MountTable read(const Host& host);
  [[nodiscard]] static MountTable parse(std::string_view text);

  /// The mount that holds an absolute path, by its name alone; nullptr if none is known.
  [[nodiscard]] const Mount* holding(std::string_view path) const;
  [[nodiscard]] const std::vector<Mount>& mounts() const { return mounts_; }

 private:
  std::vector<Mount> mounts_;                               // in the order of mounting
  std::map<std::string, std::size_t, std::less<>> latest_;  // by point: a later one covers it
};

struct Place {
  std::string path;  // links followed as far as is safe
  const Mount* mount = nullptr;
  bool on_network = false;
};

/// Follows the links of a path part by part and touches nothing on a network file system.
[[nodiscard]] Place find_place(const Host& host, const MountTable& table, const std::string& path);

}  // namespace plumb

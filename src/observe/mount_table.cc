// SPDX-License-Identifier: Apache-2.0
#include "observe/mount_table.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "base/text.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kTable = "/proc/self/mountinfo";
constexpr std::uint64_t kLargestTable = 16 << 20;
constexpr std::size_t kMostMounts = 20'000;
constexpr int kMostLinks = 40;  // as Linux itself (path_resolution(7))
constexpr int kMostParts = 1000;

constexpr auto kNetworkTypes = std::to_array<std::string_view>(
    {"afs",       "autofs",      "beegfs",       "ceph",           "cifs",         "cvmfs",
     "fuse.ceph", "fuse.cvmfs2", "fuse.gcsfuse", "fuse.glusterfs", "fuse.juicefs", "fuse.rclone",
     "fuse.s3fs", "fuse.sshfs",  "glusterfs",    "gpfs",           "lustre",       "ncpfs",
     "nfs",       "nfs4",        "orangefs",     "panfs",          "pvfs2",        "smb3",
     "smbfs",     "wekafs"});

/// Blanks, tabs, line ends and backslashes stand as "\040".
std::string unescaped(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<Mount> read_mount(std::string_view line) {
  const auto words = split(line, ' ');
  // 36 35 98:0 /root /point options [optional ...] - type source super
  const auto dash = std::ranges::find(words, "-");
  if (words.size() < 10 || dash - words.begin() < 6 || words.end() - dash < 3) {
    return std::nullopt;
  }
  return Mount{unescaped(words[4]), unescaped(words[3]), unescaped(dash[1]), unescaped(dash[2])};
}

void push_parts_in_front(std::deque<std::string>& parts, std::string_view path) {
  const auto words = split(path, '/');
  for (std::size_t i = words.size(); i-- > 0;) {
    if (!words[i].empty() && words[i] != ".") {
      parts.emplace_front(words[i]);
    }
  }
}

}  // namespace

bool is_network_type(std::string_view type) {
  return std::ranges::binary_search(kNetworkTypes, type);
}

MountTable MountTable::read(const Host& host) {
  const auto text = host.is_windows() ? Result<std::string>(std::string{})
                                      : read_text_file(host.at(kTable), kLargestTable);
  return parse(text.value_or(""));
}

MountTable MountTable::parse(std::string_view text) {
  MountTable table;
  for (const std::string_view line : split(text, '\n')) {
    if (auto mount = read_mount(line); mount && table.mounts_.size() < kMostMounts) {
      table.latest_.insert_or_assign(mount->point, table.mounts_.size());
      table.mounts_.push_back(*std::move(mount));
    }
  }
  return table;
}

const Mount* MountTable::holding(std::string_view path) const {
  if (latest_.empty()) {
    return nullptr;
  }
  while (path.size() > 1) {
    if (const auto hit = latest_.find(path); hit != latest_.end()) {
      return &mounts_[hit->second];
    }
    const std::size_t slash = path.rfind('/');
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  const auto root = latest_.find("/");
  return root == latest_.end() ? nullptr : &mounts_[root->second];
}

Place find_place(const Host& host, const MountTable& table, const std::string& path) {
  Place place{path, table.holding(path), false};
  if (table.mounts().empty()) {
    return place;
  }
  std::deque<std::string> parts;
  push_parts_in_front(parts, path);
  std::string here;  // "" = "/"
  int links = 0;
  for (int steps = 0; !parts.empty() && steps < kMostParts; ++steps) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == "..") {
      here = here.substr(0, std::min(here.rfind('/'), here.size()));
      continue;
    }
    const std::string next = here + "/" + part;
    place.mount = table.holding(next);
    if (place.mount != nullptr && is_network_type(place.mount->type)) {
      place.on_network = true;
      place.path = next;
      for (const std::string& rest : parts) {
        place.path += "/" + rest;
      }
      return place;
    }
    const auto target = read_link(host.at(next));
    if (target && ++links <= kMostLinks) {
      push_parts_in_front(parts, *target);
      here = target->starts_with('/') ? std::string{} : here;
    } else {
      here = next;
    }
  }
  place.path = here.empty() ? "/" : here;
  place.mount = table.holding(place.path);
  return place;
}

}  // namespace plumb

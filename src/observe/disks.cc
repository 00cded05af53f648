// SPDX-License-Identifier: Apache-2.0
#include "observe/disks.h"

#include <initializer_list>

#include "os/disk_space.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kUsual = "usual place";

struct Wanted {
  DiskPurpose purpose = DiskPurpose::root;
  std::string path;
  std::string origin;
};

std::string child(const Host& host, std::string folder, std::initializer_list<const char*> names) {
  const char separator = host.is_windows() ? '\\' : '/';
  for (const char* name : names) {
    if (!folder.ends_with('/') && !folder.ends_with('\\')) {
      folder += separator;
    }
    folder += name;
  }
  return folder;
}

/// The first of the variables that is set, else the usual place.
Wanted named_by(const Host& host, DiskPurpose purpose, std::initializer_list<const char*> variables,
                std::string usual) {
  for (const char* name : variables) {
    if (auto value = host.set_variable(name)) {
      if (!host.home.empty() && (value->starts_with("~/") || value->starts_with("~\\"))) {
        value->replace(0, 1, host.home);  // Hugging Face's libraries and uv understand it
      }
      return {purpose, *std::move(value), name};
    }
  }
  return {purpose, std::move(usual), kUsual};
}

std::vector<Wanted> wanted_places(const Host& host, const std::string& environment) {
  const bool windows = host.is_windows();
  const std::string home = host.home;
  std::string cache;  // below which pip and uv keep theirs
  if (windows) {
    cache = host.set_variable("LOCALAPPDATA")
                .value_or(home.empty() ? "" : child(host, home, {"AppData", "Local"}));
  } else {
    cache = host.set_variable("XDG_CACHE_HOME")
                .value_or(home.empty() ? "" : child(host, home, {".cache"}));
  }
  const auto below = [&](const std::string& folder, std::initializer_list<const char*> names) {
    return folder.empty() ? std::string{} : child(host, folder, names);
  };
  std::vector<Wanted> places;
  if (windows) {
    places.push_back(
        {DiskPurpose::root, host.set_variable("SystemDrive").value_or("C:") + "\\", "SystemDrive"});
    places.push_back({DiskPurpose::home, home, "USERPROFILE"});
    places.push_back(
        named_by(host, DiskPurpose::temp, {"TMPDIR", "TEMP", "TMP"}, below(cache, {"Temp"})));
    places.push_back(
        named_by(host, DiskPurpose::pip_cache, {"PIP_CACHE_DIR"}, below(cache, {"pip", "Cache"})));
    places.push_back(
        named_by(host, DiskPurpose::uv_cache, {"UV_CACHE_DIR"}, below(cache, {"uv", "cache"})));
    cache = below(home, {".cache"});
  } else {
    places.push_back({DiskPurpose::root, "/", kUsual});
    places.push_back({DiskPurpose::home, home, "HOME"});
    places.push_back(named_by(host, DiskPurpose::temp, {"TMPDIR", "TEMP", "TMP"}, "/tmp"));
    places.push_back(
        named_by(host, DiskPurpose::pip_cache, {"PIP_CACHE_DIR"}, below(cache, {"pip"})));
    places.push_back(named_by(host, DiskPurpose::uv_cache, {"UV_CACHE_DIR"}, below(cache, {"uv"})));
  }
  places.push_back(named_by(host, DiskPurpose::hf_cache,
                            {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME"},
                            below(cache, {"huggingface"})));
  places.push_back({DiskPurpose::environment, environment, "environment"});
  std::erase_if(places, [](const Wanted& place) { return place.path.empty(); });
  return places;
}

/// A folder that does not exist yet will lie where the nearest one above it does.
std::string nearest_folder(std::string path) {
  for (int steps = 0; steps < 1000; ++steps) {
    const auto status = file_status(path);
    if (!status || status->kind != FileKind::missing) {
      return path;
    }
    std::string parent(parent_path(path));
    if (parent.empty() || parent == path) {
      return path;
    }
    if (parent.ends_with(':')) {
      parent += '\\';
      return parent;
    }
    path = std::move(parent);
  }
  return path;
}

void ask_room(const std::string& path, DiskFacts& disk) {
  const std::string folder = nearest_folder(path);
  const auto space = disk_space(folder);
  if (!space) {
    disk.total_bytes = Fact<std::uint64_t>::unreadable(space.error(), folder);
    disk.free_bytes = disk.total_bytes;
    return;
  }
  disk.total_bytes = Fact<std::uint64_t>::present(space->total_bytes, folder);
  disk.free_bytes = Fact<std::uint64_t>::present(space->free_bytes, folder);
  if (!space->file_system.empty()) {
    disk.type = Fact<std::string>::present(space->file_system, folder);
  }
}

DiskFacts look_at(const Host& host, const MountTable& mounts, const Wanted& wanted) {
  DiskFacts disk;
  disk.purpose = wanted.purpose;
  disk.path = wanted.path;
  disk.origin = wanted.origin;
  std::string path = wanted.path;
  if (host.is_windows()) {
    disk.on_network = path.starts_with("\\\\") && !path.starts_with("\\\\?\\");
    disk.on_network = disk.on_network || (host.root.empty() && is_on_network(path));
  } else if (path.starts_with('/')) {
    const Place place = find_place(host, mounts, path);
    disk.on_network = place.on_network;
    path = place.path;
    if (place.mount != nullptr) {
      disk.mount = place.mount->point;
      disk.type = Fact<std::string>::present(place.mount->type, "/proc/self/mountinfo");
    }
  }
  if (disk.on_network) {
    const Error error{
        ErrorCode::unsupported, "lies on a network file system, which is not asked", disk.path, {}};
    disk.total_bytes = Fact<std::uint64_t>::unreadable(error, disk.path);
    disk.free_bytes = disk.total_bytes;
  } else if (host.root.empty()) {
    ask_room(path, disk);
  }
  return disk;
}

}  // namespace

std::vector<DiskFacts> observe_disks(const Host& host, const MountTable& mounts,
                                     const std::string& environment) {
  std::vector<DiskFacts> disks;
  for (const Wanted& wanted : wanted_places(host, environment)) {
    disks.push_back(look_at(host, mounts, wanted));
  }
  return disks;
}

}  // namespace plumb

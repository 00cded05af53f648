// SPDX-License-Identifier: Apache-2.0
#include "observe/linux_settings.h"

#include <algorithm>

#include "base/source.h"
#include "os/cpu_level.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLargestLoader = 16 << 20;
constexpr const char* kCache = "/etc/ld.so.cache";
constexpr std::uint64_t kLargestCache = 64 << 20;
constexpr int kFirstWithHwcaps = 33;  // of glibc 2.x: glibc-hwcaps/
constexpr int kLastWithLegacy = 36;   // tls/, haswell/, x86_64/

std::string usual_loader(std::string_view machine) {
  return machine == "aarch64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
}

Result<std::string> read_all(FileView& files, const std::string& path, std::uint64_t cap) {
  PLUMB_ASSIGN(const std::shared_ptr<const Source> source, files.open(path));
  PLUMB_ASSIGN(const std::vector<std::byte> bytes,
               read_range(*source, 0, std::min(source->size(), cap), cap));
  return std::string(as_text(bytes));
}

/// In the order in which ld.so tries them (see LD_DEBUG=libs).
std::vector<std::string> cpu_folders(int glibc_minor, const std::string& platform,
                                     const std::string& machine) {
  std::vector<std::string> folders;
  if (glibc_minor == 0 || glibc_minor >= kFirstWithHwcaps) {
    for (const std::string& level : cpu_levels()) {
      folders.push_back("glibc-hwcaps/" + level);
    }
  }
  if (glibc_minor <= kLastWithLegacy && machine == "x86_64") {
    for (const char* thread_local_storage : {"tls/", ""}) {
      for (const std::string& first : {platform + "/", std::string{}}) {
        for (const std::string& second : {machine + "/", std::string{}}) {
          std::string folder = thread_local_storage + first + second;
          if (!folder.empty() && std::ranges::find(folders, folder) == folders.end()) {
            folder.pop_back();
            folders.push_back(std::move(folder));
          }
        }
      }
    }
  }
  return folders;
}

}  // namespace

BuiltIntoLoader find_built_into_loader(std::string_view bytes) {
  BuiltIntoLoader built;
  std::vector<std::string> run;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    const std::string_view text = bytes.substr(begin, end - begin);
    begin = end + 1;
    // The folders stand one after the other, each with a slash at its end.
    if (text.size() > 1 && text.size() < 4096 && text.starts_with('/') && text.ends_with('/') &&
        text.find("/lib") != std::string_view::npos) {
      run.emplace_back(text.substr(0, text.size() - 1));
    } else {
      if (run.size() > built.default_folders.size()) {
        built.default_folders = run;
      }
      run.clear();
    }
    constexpr std::string_view kRelease = "release version 2.";
    if (const std::size_t at = text.find(kRelease);
        at != std::string_view::npos && built.glibc_minor == 0) {
      for (const char digit : text.substr(at + kRelease.size(), 3)) {
        if (digit < '0' || digit > '9') {
          break;
        }
        built.glibc_minor = built.glibc_minor * 10 + (digit - '0');
      }
    }
  }
  return built;
}

LinuxSettings observe_linux_settings(const Host& host, FileView& files, const std::string& program,
                                     std::vector<Error>& errors) {
  LinuxSettings settings = usual_linux_settings();
  const auto elf = files.elf(program);
  settings.machine = elf ? (*elf)->machine : host.machine;
  settings.loader =
      elf && (*elf)->interpreter ? *(*elf)->interpreter : usual_loader(settings.machine);
  settings.library_path = host.variable("LD_LIBRARY_PATH").value_or("");
  settings.preload = host.variable("LD_PRELOAD").value_or("");
  settings.preload_file = read_all(files, "/etc/ld.so.preload", 1 << 20).value_or("");
  settings.current_folder = host.current_folder.empty() ? "/" : files.resolved(host.current_folder);
  settings.platform = host.machine == settings.machine ? cpu_platform() : settings.machine;

  const BuiltIntoLoader built =
      find_built_into_loader(read_all(files, settings.loader, kLargestLoader).value_or(""));
  if (!built.default_folders.empty()) {
    settings.default_folders = built.default_folders;
    // "/lib64" and "/usr/lib64" are both made from $LIB.
    std::string_view first = built.default_folders.front();
    first.remove_prefix(first.starts_with("/usr/") ? 5 : 1);
    settings.lib = first;
  }
  settings.glibc_minor = built.glibc_minor;
  settings.hwcaps = cpu_folders(built.glibc_minor, settings.platform, settings.machine);
  if (files.entry(kCache).kind != EntryKind::none) {
    const auto text = read_all(files, kCache, kLargestCache);
    auto cache = text ? parse_library_cache(*text, settings.machine)
                      : Result<std::vector<CachedLibrary>>(std::unexpected(text.error()));
    if (cache) {
      settings.cache = *std::move(cache);
    } else {
      errors.push_back(std::move(cache).error().in(kCache));
    }
  }
  return settings;
}

}  // namespace plumb

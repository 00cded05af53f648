// SPDX-License-Identifier: Apache-2.0
#include "observe/linux_release.h"

#include <array>
#include <map>

#include "base/text.h"
#include "observe/linux_settings.h"
#include "observe/text_fact.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLargestLibrary = 16 << 20;

/// os-release(5): shell assignments; a value may stand in quotes, with '\\' before a few
/// characters.
std::string unquoted(std::string_view value) {
  char quote = '\0';
  if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
    quote = value[0];
    value = value.substr(1, value.size() - 2);
  }
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && quote != '\'' && i + 1 < value.size()) {
      ++i;
    }
    out += value[i];
  }
  return out;
}

std::map<std::string, std::string> assignments(std::string_view text) {
  std::map<std::string, std::string> values;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && !line.starts_with('#')) {
      values.insert_or_assign(std::string(line.substr(0, equals)),
                              unquoted(line.substr(equals + 1)));
    }
  }
  return values;
}

void observe_os_release(const Host& host, LinuxRelease& release) {
  std::string path = "/etc/os-release";
  auto text = read_text_file(host.at(path), 1 << 16);
  if (!text && text.error().code == ErrorCode::not_found) {
    path = "/usr/lib/os-release";
    text = read_text_file(host.at(path), 1 << 16);
  }
  const auto values = assignments(text.value_or(""));
  const auto part = [&](const std::string& name) {
    const auto hit = values.find(name);
    if (!text && text.error().code != ErrorCode::not_found) {
      return Fact<std::string>::unreadable(text.error(), path);
    }
    return hit == values.end() || hit->second.empty()
               ? Fact<std::string>::absent(path)
               : Fact<std::string>::present(hit->second, path);
  };
  release.id = part("ID");
  release.version_id = part("VERSION_ID");
  release.id_like = part("ID_LIKE");
  release.pretty_name = part("PRETTY_NAME");
}

/// libc.so.6 always says its release; ld.so does in newer ones only.
Fact<std::string> glibc_of(const Host& host) {
  const std::string triplet = host.machine + "-linux-gnu";
  const std::array<std::string, 6> candidates = {
      "/lib/" + triplet + "/libc.so.6",
      "/usr/lib/" + triplet + "/libc.so.6",
      "/lib64/libc.so.6",
      "/usr/lib64/libc.so.6",
      "/usr/lib/libc.so.6",
      host.machine == "aarch64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2"};
  Fact<std::string> fact = Fact<std::string>::absent(candidates.front());
  for (const std::string& path : candidates) {
    Fact<std::string> seen = fact_of_file<std::string>(
        host, path,
        [](std::string_view bytes) -> std::optional<std::string> {
          const int minor = find_built_into_loader(bytes).glibc_minor;
          return minor > 0 ? std::optional("2." + std::to_string(minor)) : std::nullopt;
        },
        kLargestLibrary);
    if (seen) {
      return seen;
    }
    if (seen.fault) {
      fact = std::move(seen);
    }
  }
  return fact;
}

Fact<std::string> musl_of(const Host& host) {
  const std::string path = "/lib/ld-musl-" + host.machine + ".so.1";
  return is_file(host.at(path)) ? Fact<std::string>::present(path, path)
                                : Fact<std::string>::absent(path);
}

}  // namespace

LinuxRelease observe_linux_release(const Host& host) {
  LinuxRelease release;
  observe_os_release(host, release);
  release.kernel = fact_of_line(host, "/proc/sys/kernel/osrelease");
  release.glibc = glibc_of(host);
  release.musl = musl_of(host);
  return release;
}

}  // namespace plumb

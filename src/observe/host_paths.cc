// SPDX-License-Identifier: Apache-2.0
#include "observe/host_paths.h"

#include <algorithm>

#include "base/text.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/remote_drive.h"

namespace plumb {
namespace {

constexpr std::size_t kMostParents = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_drive(std::string_view path) {
  return path.size() >= 2 && is_letter(path[0]) && path[1] == ':';
}

bool is_separator(char c) {
  return c == '/' || c == '\\';
}

/// "$HOME/x" and "${HOME}/x".
std::string expand_dollars(const Host& host, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find('$');
    out += text.substr(0, at);
    if (at == std::string_view::npos) {
      break;
    }
    text.remove_prefix(at + 1);
    const bool braces = text.starts_with('{');
    const std::size_t begin = braces ? 1 : 0;
    const auto in_name = [](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
    std::size_t end = begin;
    while (end < text.size() && in_name(text[end])) {
      ++end;
    }
    const auto value = host.set_variable(std::string(text.substr(begin, end - begin)));
    if (!value || (braces && (end == text.size() || text[end] != '}'))) {
      out += '$';
      continue;
    }
    out += *value;
    text.remove_prefix(end + (braces ? 1 : 0));
  }
  return out;
}

std::vector<std::string> split_path_of(const Host& host, std::string_view text) {
  if (host.is_windows() == (system_name() == "windows")) {
    return split_path_list(text);
  }
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, host.is_windows() ? ';' : ':')) {
    parts.emplace_back(part);
  }
  return parts;
}

}  // namespace

std::string path_on_host(const Host& host, std::string_view path) {
  if (host.root.empty() || path.starts_with(host.root)) {
    return std::string(path);
  }
  if (host.is_windows()) {
    if (path.size() >= 2 && is_separator(path[0]) && is_separator(path[1])) {
      return {};
    }
    if (has_drive(path)) {
      if (path[0] != 'C' && path[0] != 'c') {
        return {};
      }
      path.remove_prefix(2);
    }
    std::string text(path);
    std::ranges::replace(text, '\\', '/');
    while (text.size() > 1 && text.ends_with('/')) {
      text.pop_back();
    }
    return host.at(text);
  }
  return host.at(path);
}

std::optional<std::string> variable_path(const Host& host, const std::string& name) {
  const auto value = host.set_variable(name);
  if (!value) {
    return std::nullopt;
  }
  std::string path = path_on_host(host, *value);
  return path.empty() ? std::nullopt : std::optional(std::move(path));
}

std::string expanded_path(const Host& host, std::string_view path) {
  path = trim(path);
  if (path == "~" || path.starts_with("~/") || path.starts_with("~\\")) {
    if (host.home.empty()) {
      return {};
    }
    const std::size_t rest = std::min(path.find_first_not_of("~/\\"), path.size());
    return rest == path.size() ? host.home : join_path(host.home, path.substr(rest));
  }
  const std::string dollars = expand_dollars(host, path);
  return path_on_host(host, host.is_windows() ? expand_variables(dollars, host.variable) : dollars);
}

bool may_be_slow(const Host& host, const std::string& path) {
  if (host.is_windows()) {
    const bool share = path.size() >= 2 && is_separator(path[0]) && is_separator(path[1]);
    return share || (host.root.empty() && is_remote_drive(path));
  }
  const std::string mounts = host.at("/mnt/");
  return path.size() > mounts.size() && path.starts_with(mounts) &&
         is_letter(path[mounts.size()]) &&
         (path.size() == mounts.size() + 1 || is_separator(path[mounts.size() + 1])) &&
         is_folder(host.at("/usr/lib/wsl"));
}

bool is_absolute_on(const Host& host, std::string_view path) {
  if (host.is_windows()) {
    return (has_drive(path) && path.size() >= 3 && is_separator(path[2])) ||
           path.starts_with("\\\\") || path.starts_with("//") ||
           (!host.root.empty() && path.starts_with(host.root));
  }
  return path.starts_with('/') || (!host.root.empty() && path.starts_with(host.root));
}

std::string path_below(const std::string& folder, std::initializer_list<std::string_view> parts) {
  std::string path = folder;
  for (const std::string_view part : parts) {
    path = join_path(path, part);
  }
  return path;
}

std::vector<std::string> folders_above(const Host& host, const std::string& folder) {
  std::vector<std::string> folders;
  std::string current = folder;
  while (!current.empty() && folders.size() < kMostParents) {
    if (!folders.empty() && may_be_slow(host, current)) {
      break;
    }
    folders.push_back(current);
    if (!host.root.empty() && current.size() <= host.root.size()) {
      break;
    }
    std::string above(parent_path(current));
    if (above == current) {
      break;
    }
    current = std::move(above);
  }
  return folders;
}

std::vector<std::string> path_folders(const Host& host) {
  std::vector<std::string> folders;
  for (const std::string& part : split_path_of(host, host.set_variable("PATH").value_or(""))) {
    if (is_absolute_on(host, part)) {
      std::string path = path_on_host(host, part);
      if (!path.empty() && std::ranges::find(folders, path) == folders.end()) {
        folders.push_back(std::move(path));
      }
    }
  }
  return folders;
}

}  // namespace plumb

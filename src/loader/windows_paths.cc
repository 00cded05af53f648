// SPDX-License-Identifier: Apache-2.0
#include "loader/windows_paths.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace plumb {
namespace {

bool is_separator(char letter) {
  return letter == '\\' || letter == '/';
}

bool has_drive(std::string_view path) {
  return path.size() >= 2 && path[1] == ':' && !is_separator(path[0]);
}

bool is_share(std::string_view path) {
  return path.size() >= 2 && is_separator(path[0]) && is_separator(path[1]);
}

/// Length of what ".." never leaves: "C:\", "\\server\share\".
std::size_t root_length(std::string_view path) {
  if (has_drive(path)) {
    return path.size() >= 3 && is_separator(path[2]) ? 3 : 2;
  }
  if (!is_share(path)) {
    return !path.empty() && is_separator(path[0]) ? 1 : 0;
  }
  std::size_t at = 2;
  for (int part = 0; part < 2; ++part) {
    while (at < path.size() && !is_separator(path[at])) {
      ++at;
    }
    at += at < path.size() ? 1U : 0U;
  }
  return at;
}

}  // namespace

std::string_view windows_base_name(std::string_view path) {
  const std::size_t cut = path.find_last_of("\\/:");
  return cut == std::string_view::npos ? path : path.substr(cut + 1);
}

std::string windows_folder_of(std::string_view path) {
  const std::size_t cut = path.find_last_of("\\/:");
  if (cut == std::string_view::npos) {
    return "";
  }
  return std::string(path.substr(0, std::max(cut, root_length(path))));
}

bool is_full_windows_path(std::string_view path) {
  return is_share(path) || (has_drive(path) && path.size() >= 3 && is_separator(path[2]));
}

bool has_windows_folder(std::string_view path) {
  return has_drive(path) || path.find_first_of("\\/") != std::string_view::npos;
}

std::string join_windows_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && !is_separator(path.back())) {
    path += '\\';
  }
  return path.append(name);
}

std::string full_windows_path(std::string_view path, std::string_view current_folder) {
  std::string text(path);
  std::ranges::replace(text, '/', '\\');
  if (text.starts_with("\\\\?\\UNC\\")) {
    text.replace(0, 8, "\\\\");
  } else if (text.starts_with("\\\\?\\") || text.starts_with("\\\\.\\")) {
    text.erase(0, 4);
  } else if (!is_full_windows_path(text)) {
    std::string here(current_folder);
    std::ranges::replace(here, '/', '\\');
    if (has_drive(text)) {
      // Each drive has a current folder of its own; only that of the current drive is known.
      const bool same =
          has_drive(here) && to_lower_ascii(here.substr(0, 1)) == to_lower_ascii(text.substr(0, 1));
      text = same ? join_windows_path(here, text.substr(2))
                  : text.substr(0, 2) + "\\" + text.substr(2);
    } else if (text.starts_with('\\')) {
      text = join_windows_path(here.substr(0, root_length(here)), text.substr(1));
    } else {
      text = join_windows_path(here, text);
    }
  }
  const std::size_t root = root_length(text);
  std::vector<std::string> parts;
  for (const std::string_view part : split(std::string_view(text).substr(root), '\\')) {
    if (part == "..") {
      if (!parts.empty()) {
        parts.pop_back();
      }
    } else if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
  }
  if (!parts.empty()) {
    std::string& last = parts.back();
    last.erase(last.find_last_not_of(" .") + 1);
  }
  return text.substr(0, root) + join(parts, "\\");
}

}  // namespace plumb

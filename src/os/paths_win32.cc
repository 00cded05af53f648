// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include "os/file.h"
#include "os/wide.h"

namespace plumb {
namespace {

constexpr std::string_view kSeparators = "\\/";

constexpr bool is_separator(char c) {
  return c == '\\' || c == '/';
}

// How much of the path is its root: "C:\", "C:", "\", "\\server\share\", "\\?\C:\".
std::size_t root_length(std::string_view path) {
  const auto after_component = [&](std::size_t from) {
    const std::size_t end = path.find_first_of(kSeparators, from);
    return end == std::string_view::npos ? path.size() : end + 1;
  };
  const auto after_drive = [&](std::size_t from) -> std::size_t {
    if (path.size() < from + 2 || path[from + 1] != ':') {
      return 0;
    }
    return path.size() > from + 2 && is_separator(path[from + 2]) ? from + 3 : from + 2;
  };
  if (path.size() < 2 || !is_separator(path[0]) || !is_separator(path[1])) {
    const std::size_t drive = after_drive(0);
    return drive > 0 ? drive : (!path.empty() && is_separator(path[0]) ? 1 : 0);
  }
  if (path.starts_with("\\\\?\\")) {
    const std::size_t drive = after_drive(4);
    if (drive > 0) {
      return drive;
    }
    return path.substr(4).starts_with("UNC\\") ? after_component(after_component(8))
                                               : after_component(4);
  }
  return after_component(after_component(2));
}

}  // namespace

char path_separator() {
  return '\\';
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  // "C:" means the current folder of that drive: "C:x" is right, "C:\x" another place.
  const bool bare_drive = path.size() == 2 && path[1] == ':';
  if (!path.empty() && !is_separator(path.back()) && !bare_drive) {
    path += '\\';
  }
  path += name;
  return path;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of(kSeparators) + 1);
}

std::string_view parent_path(std::string_view path) {
  const std::size_t root = root_length(path);
  if (path.size() <= root) {
    return {};
  }
  const std::size_t slash = path.find_last_of(kSeparators);
  if (slash == std::string_view::npos || slash < root) {
    return path.substr(0, root);
  }
  const std::size_t last = path.substr(0, slash).find_last_not_of(kSeparators);
  return path.substr(0, last == std::string_view::npos || last + 1 < root ? root : last + 1);
}

Result<std::string> read_link(const std::string&) {
  return fail(ErrorCode::unsupported, "links are followed by Windows itself");
}

std::string real_path(const std::string& path) {
  const std::wstring wide = to_wide(path);
  const HANDLE handle = ::CreateFileW(wide.c_str(), FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    return path;
  }
  std::wstring final_path(32768, L'\0');
  const DWORD length =
      ::GetFinalPathNameByHandleW(handle, final_path.data(), static_cast<DWORD>(final_path.size()),
                                  FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
  ::CloseHandle(handle);
  if (length == 0 || length >= final_path.size()) {
    return path;
  }
  final_path.resize(length);
  std::wstring_view shown =
      final_path;  // always comes with the prefix \\?\, which nobody wants to read
  if (shown.starts_with(L"\\\\?\\UNC\\")) {
    return "\\\\" + from_wide(shown.substr(8));
  }
  if (shown.starts_with(L"\\\\?\\")) {
    shown.remove_prefix(4);
  }
  return from_wide(shown);
}

}  // namespace plumb

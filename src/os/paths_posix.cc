// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "os/file.h"
#include "os/system_error.h"

namespace plumb {

char path_separator() {
  return '/';
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '/') {
    path += '/';
  }
  path += name;
  return path;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  const std::size_t last = path.substr(0, slash).find_last_not_of('/');
  if (last != std::string_view::npos) {
    return path.substr(0, last + 1);
  }
  // Only slashes are left: the root is the parent of what follows it, and has none itself.
  return slash + 1 < path.size() ? path.substr(0, 1) : std::string_view{};
}

Result<std::string> read_link(const std::string& path) {
  std::string target(4096, '\0');  // PATH_MAX: the kernel makes no longer ones
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) {
    return errno == EINVAL ? fail(ErrorCode::malformed, "is no symbolic link")
                           : std::unexpected(system_error(static_cast<std::uint32_t>(errno)));
  }
  target.resize(static_cast<std::size_t>(length));
  return target;
}

std::string real_path(const std::string& path) {
  const auto release = [](char* text) { std::free(text); };
  const std::unique_ptr<char, decltype(release)> resolved(::realpath(path.c_str(), nullptr),
                                                          release);
  return resolved ? std::string(resolved.get()) : path;
}

}  // namespace plumb

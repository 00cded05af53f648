// SPDX-License-Identifier: Apache-2.0
#include "os/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "os/file.h"
#include "os/system_error.h"

namespace plumb {
namespace {

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(static_cast<std::uint32_t>(errno)));
}

Result<void> write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return last_error();
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return ::fsync(file) == 0 ? Result<void>{} : last_error();
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view bytes) {
  PLUMB_ASSIGN(const FileStatus status, file_status(path));
  if (status.kind != FileKind::missing && status.kind != FileKind::regular) {
    return fail(ErrorCode::special_file, "is not a file, so nothing is written there");
  }
  // A link stays; the file that it leads to is replaced.
  const std::string target = status.kind == FileKind::regular ? real_path(path) : path;
  const std::string beside = target + ".part" + std::to_string(::getpid());
  const int file =
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) {
    return last_error();
  }
  Result<void> written = write_all(file, bytes);
  if (::close(file) != 0 && written) {
    written = last_error();
  }
  if (written && ::rename(beside.c_str(), target.c_str()) != 0) {
    written = last_error();
  }
  if (!written) {
    ::unlink(beside.c_str());
  }
  return written;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/system_error.h"

#include <cerrno>
#include <string>

namespace plumb {

Error system_error(std::uint32_t number) {
  const auto say = [](ErrorCode code, std::string what) {
    return Error{code, std::move(what), {}, {}};
  };
  switch (static_cast<int>(number)) {
    case ENOENT:
      return say(ErrorCode::not_found, "no such file or folder");
    case ENOTDIR:
      return say(ErrorCode::not_found, "a part of the path is not a folder");
    case ENAMETOOLONG:
      return say(ErrorCode::not_found, "the name is longer than the system allows");
    case EACCES:
    case EPERM:
      return say(ErrorCode::no_permission, "no permission");
    case ELOOP:
      return say(ErrorCode::loop, "symbolic links lead in a circle");
    case EMFILE:
    case ENFILE:
      return say(ErrorCode::io, "too many files are open");
    case ENOMEM:
      return say(ErrorCode::io, "the system has no memory left");
    case EIO:
      return say(ErrorCode::io, "the device reports a read error (EIO)");
    case ESTALE:
      return say(ErrorCode::io, "the network file is gone (ESTALE)");
    case ETIMEDOUT:
      return say(ErrorCode::io, "the file system does not answer (ETIMEDOUT)");
    case ENXIO:
    case ENODEV:
      return say(ErrorCode::special_file, "there is no device behind this name");
    case EISDIR:
      return say(ErrorCode::special_file, "is a folder, not a file");
    default:
      return say(ErrorCode::io, "the system reports error " + std::to_string(number));
  }
}

}  // namespace plumb

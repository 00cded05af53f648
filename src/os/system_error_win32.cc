// SPDX-License-Identifier: Apache-2.0
#include "os/system_error.h"

#include <windows.h>

#include <string>

namespace plumb {

Error system_error(std::uint32_t number) {
  const auto say = [&](ErrorCode code, std::string what) {
    return Error{code, std::move(what) + " (Windows error " + std::to_string(number) + ")", {}, {}};
  };
  switch (number) {
    // The plain cases need no number.
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return {ErrorCode::not_found, "no such file or folder", {}, {}};
    case ERROR_ACCESS_DENIED:
      return {ErrorCode::no_permission, "no permission", {}, {}};
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_FILENAME_EXCED_RANGE:
      return say(ErrorCode::not_found, "the system does not allow such a name");
    case ERROR_DIRECTORY:
      return say(ErrorCode::not_found, "a part of the path is not a folder");
    case ERROR_INVALID_DRIVE:
      return say(ErrorCode::not_found, "there is no such drive");
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return say(ErrorCode::not_found, "the network folder cannot be reached");
    case ERROR_NOT_READY:
      return say(ErrorCode::io, "the drive is empty or not ready");
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return say(ErrorCode::no_permission, "another program holds the file open");
    case 225:  // ERROR_VIRUS_INFECTED and ERROR_VIRUS_DELETED, which MinGW does not name
    case 226:
      return say(ErrorCode::no_permission, "the virus scanner refuses the file");
    case ERROR_CANT_RESOLVE_FILENAME:
      return say(ErrorCode::loop, "links lead in a circle");
    case ERROR_CANT_ACCESS_FILE:
      return say(ErrorCode::special_file, "is a link that only the shell can follow");
    case ERROR_TOO_MANY_OPEN_FILES:
      return say(ErrorCode::io, "too many files are open");
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return say(ErrorCode::io, "the system has no memory left");
    case ERROR_CRC:
    case ERROR_IO_DEVICE:
    case ERROR_SECTOR_NOT_FOUND:
      return say(ErrorCode::io, "the device reports a read error");
    case ERROR_SEM_TIMEOUT:
      return say(ErrorCode::io, "the file system does not answer");
    default:
      return {ErrorCode::io, "Windows reports error " + std::to_string(number), {}, {}};
  }
}

}  // namespace plumb

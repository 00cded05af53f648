// SPDX-License-Identifier: Apache-2.0
#include "os/write_file.h"

#include <windows.h>

#include <algorithm>

#include "os/file.h"
#include "os/path_win32.h"
#include "os/system_error.h"

namespace plumb {
namespace {

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(::GetLastError()));
}

Result<void> write_all(HANDLE file, std::string_view bytes) {
  while (!bytes.empty()) {
    constexpr std::size_t kPiece = 1 << 20;
    DWORD written = 0;
    if (::WriteFile(file, bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kPiece)),
                    &written, nullptr) == 0) {
      return last_error();
    }
    bytes.remove_prefix(written);
  }
  return ::FlushFileBuffers(file) != 0 ? Result<void>{} : last_error();
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view bytes) {
  PLUMB_ASSIGN(const FileStatus status, file_status(path));
  if (status.kind != FileKind::missing && status.kind != FileKind::regular) {
    return fail(ErrorCode::special_file, "is not a file, so nothing is written there");
  }
  PLUMB_ASSIGN(const std::wstring target, system_path(path));
  PLUMB_ASSIGN(const std::wstring beside,
               system_path(path + ".part" + std::to_string(::GetCurrentProcessId())));
  // Users' folders let only their owner in; the file inherits that.
  HANDLE file = ::CreateFileW(beside.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                              FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    return last_error();
  }
  Result<void> written = write_all(file, bytes);
  ::CloseHandle(file);
  if (written && ::MoveFileExW(beside.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING) == 0) {
    written = last_error();
  }
  if (!written) {
    ::DeleteFileW(beside.c_str());
  }
  return written;
}

}  // namespace plumb

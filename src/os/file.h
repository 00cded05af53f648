// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files and folders, the same for both systems. Paths are UTF-8 strings in the system's own form;
// on Linux a path may hold any bytes and is passed on unchanged, on Windows it is converted to
// UTF-16 and long paths work. file_posix.cc / file_win32.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

enum class FileKind : std::uint8_t { regular, directory, symlink, special, missing };
enum class Links : std::uint8_t { follow, keep };

struct FileStatus {
  FileKind kind = FileKind::missing;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  // since 1970, UTC
  std::uint64_t device = 0;      // (device, inode) tells two names of one file
  std::uint64_t inode = 0;
};

/// A missing file is not an error: kind = missing. Errors: no_permission, loop (too many symlinks),
/// io.
[[nodiscard]] Result<FileStatus> file_status(const std::string& path, Links links = Links::follow);

/// Opens a regular file for random reads. Never blocks on a FIFO or device (special_file). read()
/// is thread-safe and gives `changed` when the file became shorter than it was at opening. Does not
/// map the file, so a file that shrinks cannot kill the process. Hints random access to the
/// system's read-ahead.
[[nodiscard]] Result<std::unique_ptr<Source>> open_file(const std::string& path);

/// The whole of a small text file (also /proc and /sys files, whose size reads 0). Longer than
/// `cap`: limit.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path,
                                                 std::uint64_t cap = 1 << 20);

struct DirectoryEntry {
  std::string name;  // Linux: raw bytes; Windows: UTF-8 (unpaired surrogates as WTF-8)
  FileKind kind = FileKind::regular;  // of the entry itself, links not followed; Windows: reparse
                                      // points = symlink
};

/// Sorted by name bytes; without "." and "..".
[[nodiscard]] Result<std::vector<DirectoryEntry>> list_directory(const std::string& path);

/// With the system's separator; an absolute `name` is NOT special.
[[nodiscard]] std::string join_path(std::string_view folder, std::string_view name);
[[nodiscard]] std::string_view file_name(std::string_view path);  // after the last separator
[[nodiscard]] std::string_view parent_path(
    std::string_view path);  // before it; "" if there is none
/// '/' on Linux, '\\' on Windows (where '/' is understood, too).
[[nodiscard]] char path_separator();
/// Where a symbolic link points, as written in it. Errors: not_found, malformed (it is no link),
/// unsupported (Windows, where the system alone follows links).
[[nodiscard]] Result<std::string> read_link(const std::string& path);
/// Absolute, links resolved; the path itself if that fails.
[[nodiscard]] std::string real_path(const std::string& path);

}  // namespace plumb

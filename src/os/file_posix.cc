// SPDX-License-Identifier: Apache-2.0
// Files by plain system calls. Opening must have no side effect: the name is looked at first
// (opening some devices rewinds a tape or wakes a card), opened without blocking, and looked at
// again, because it may have been replaced in between.
#include "os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "os/system_error.h"

namespace plumb {
namespace {

// A folder's names may take this much memory; a million names of usual length do.
constexpr std::size_t kMaxListingBytes = 96U << 20U;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(static_cast<std::uint32_t>(errno)));
}

// The system would silently cut the path at a NUL and open something else.
bool holds_nul(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

FileKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileKind::regular;
    case S_IFDIR:
      return FileKind::directory;
    case S_IFLNK:
      return FileKind::symlink;
    default:
      return FileKind::special;
  }
}

// Empty for a regular file.
std::string_view why_not_a_file(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return {};
    case S_IFDIR:
      return "is a folder, not a file";
    case S_IFIFO:
      return "is a FIFO; plumb reads regular files only";
    case S_IFSOCK:
      return "is a socket; plumb reads regular files only";
    default:
      return "is a device; plumb reads regular files only";
  }
}

Result<Descriptor> open_regular(const std::string& path, struct stat& status) {
  if (holds_nul(path)) {
    return fail(ErrorCode::not_found, "the name holds a NUL byte");
  }
  if (::stat(path.c_str(), &status) != 0) {
    return last_error();
  }
  if (const auto why = why_not_a_file(status.st_mode); !why.empty()) {
    return fail(ErrorCode::special_file, std::string(why));
  }
  int number = -1;
  do {
    number = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (number < 0 && errno == EINTR);
  if (number < 0) {
    return last_error();
  }
  Descriptor descriptor(number);
  if (::fstat(number, &status) != 0) {
    return last_error();
  }
  if (const auto why = why_not_a_file(status.st_mode); !why.empty()) {
    return fail(ErrorCode::special_file, std::string(why));
  }
  return descriptor;
}

class FileSource final : public Source {
 public:
  FileSource(Descriptor descriptor, std::uint64_t size)
      : descriptor_(std::move(descriptor)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }

  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!fits(offset, out.size(), size_)) {
      return fail(ErrorCode::truncated, "needs " + std::to_string(out.size()) +
                                            " bytes at offset " + std::to_string(offset) +
                                            ", but the file has " + std::to_string(size_));
    }
    while (!out.empty()) {
      const ssize_t got =
          ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        Error error = system_error(static_cast<std::uint32_t>(errno));
        return std::unexpected(
            std::move(error).while_doing("reading at offset " + std::to_string(offset)));
      }
      if (got == 0) {
        return fail(ErrorCode::changed, "became shorter while it was read: had " +
                                            std::to_string(size_) + " bytes, now ends before " +
                                            std::to_string(offset + out.size()));
      }
      offset += static_cast<std::uint64_t>(got);
      out = out.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }

 private:
  Descriptor descriptor_;
  std::uint64_t size_;
};

}  // namespace

Result<FileStatus> file_status(const std::string& path, Links links) {
  FileStatus result;
  if (holds_nul(path)) {
    return result;
  }
  struct stat status{};
  const int failed =
      links == Links::follow ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
  if (failed != 0) {
    Error error = system_error(static_cast<std::uint32_t>(errno));
    if (error.code == ErrorCode::not_found) {
      return result;
    }
    return std::unexpected(std::move(error));
  }
  result.kind = kind_of(status.st_mode);
  result.size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  result.modified_ns =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + std::int64_t{status.st_mtim.tv_nsec};
  result.device = static_cast<std::uint64_t>(status.st_dev);
  result.inode = static_cast<std::uint64_t>(status.st_ino);
  return result;
}

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  struct stat status{};
  PLUMB_ASSIGN(Descriptor descriptor, open_regular(path, status));
  // Headers lie far apart in files of gigabytes: reading ahead would fetch what nobody asked for.
  ::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_RANDOM);
  return std::make_unique<FileSource>(
      std::move(descriptor), static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0)));
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t cap) {
  struct stat status{};
  PLUMB_ASSIGN(const Descriptor descriptor, open_regular(path, status));
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t got = ::read(descriptor.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return last_error();
    }
    if (got == 0) {
      return text;
    }
    if (static_cast<std::uint64_t>(got) > cap - text.size()) {
      return fail(ErrorCode::limit, "is longer than the " + std::to_string(cap) +
                                        " bytes that plumb reads of such a file");
    }
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

Result<std::vector<DirectoryEntry>> list_directory(const std::string& path) {
  if (holds_nul(path)) {
    return fail(ErrorCode::not_found, "the name holds a NUL byte");
  }
  const auto close_folder = [](DIR* folder) { ::closedir(folder); };
  const std::unique_ptr<DIR, decltype(close_folder)> folder(::opendir(path.c_str()), close_folder);
  if (!folder) {
    return last_error();
  }
  std::vector<DirectoryEntry> entries;
  std::size_t bytes = 0;
  while (true) {
    errno = 0;
    const dirent* found = ::readdir(folder.get());
    if (found == nullptr) {
      if (errno != 0) {
        return last_error();
      }
      break;
    }
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    bytes += name.size() + sizeof(DirectoryEntry);
    if (bytes > kMaxListingBytes) {
      return fail(ErrorCode::limit,
                  "holds too many names: more than " + std::to_string(entries.size()));
    }
    auto mode = static_cast<mode_t>(DTTOIF(found->d_type));
    if (found->d_type == DT_UNKNOWN) {  // some file systems do not say
      struct stat status{};
      if (::fstatat(::dirfd(folder.get()), found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;  // removed in between
      }
      mode = status.st_mode;
    }
    entries.push_back({std::string(name), kind_of(mode)});
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace plumb

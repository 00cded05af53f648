// SPDX-License-Identifier: Apache-2.0
// Files by the wide calls. Two habits of Windows shape this file. First, some names are devices
// wherever they stand (NUL, C:\x\CON, \\.\PhysicalDrive0, \\server\pipe\x): GetFullPathNameW shows
// them by giving \\.\..., and they are refused before anything is opened. Second, paths of 260
// units or more work only with the prefix \\?\, which turns off all normalisation, so it is put
// before the full path.
#include "os/file.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <utility>

#include "os/path_win32.h"
#include "os/system_error.h"
#include "os/wide.h"

namespace plumb {
namespace {

constexpr std::size_t kMaxListingBytes = 96U << 20U;  // of a folder's names
constexpr std::size_t kLongPath = 240;  // leaves room for "\*" below folders' limit of 248

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (valid()) {
      ::CloseHandle(handle_);
    }
  }
  [[nodiscard]] bool valid() const { return handle_ != INVALID_HANDLE_VALUE; }
  [[nodiscard]] HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(::GetLastError()));
}

bool starts_with_nocase(std::wstring_view text, std::wstring_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, [](wchar_t c) {
           return c >= L'A' && c <= L'Z' ? static_cast<wchar_t>(c + 32) : c;
         });
}

// `\\server\pipe\name`: opening it would talk to a service.
bool names_remote_device(std::wstring_view share) {
  const std::size_t server = share.find(L'\\');
  return server != std::wstring_view::npos &&
         (starts_with_nocase(share.substr(server + 1), L"pipe\\") ||
          starts_with_nocase(share.substr(server + 1), L"mailslot\\"));
}

bool names_device(std::wstring_view full) {
  if (!full.starts_with(L"\\\\")) {
    return false;
  }
  if (full.starts_with(L"\\\\.\\")) {
    return true;
  }
  if (!full.starts_with(L"\\\\?\\")) {
    return names_remote_device(full.substr(2));
  }
  const std::wstring_view rest = full.substr(4);
  if (starts_with_nocase(rest, L"unc\\")) {
    return names_remote_device(rest.substr(4));
  }
  const bool drive = rest.size() >= 2 && rest[1] == L':';
  return !drive && !starts_with_nocase(rest, L"volume{");
}

}  // namespace

Result<std::wstring> system_path(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return fail(ErrorCode::not_found,
                path.empty() ? "the name is empty" : "the name holds a NUL byte");
  }
  std::wstring full = to_wide(path);
  if (!full.starts_with(L"\\\\?\\")) {
    const std::wstring given = std::exchange(full, std::wstring(MAX_PATH, L'\0'));
    while (true) {
      const DWORD needed =
          ::GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
      if (needed == 0) {
        return last_error();
      }
      const bool done = needed < full.size();
      full.resize(needed);
      if (done) {
        break;
      }
    }
  }
  if (names_device(full)) {
    return fail(ErrorCode::special_file, "is a device; plumb reads regular files only");
  }
  if (full.size() >= kLongPath && !full.starts_with(L"\\\\?\\")) {
    full = full.starts_with(L"\\\\") ? L"\\\\?\\UNC\\" + full.substr(2) : L"\\\\?\\" + full;
  }
  return full;
}

namespace {

// Symbolic links, junctions and others that stand for another name. Reparse points of cloud
// storage, compression and deduplication are ordinary files to us; the tag of an app alias (the
// Store's python.exe) leads to nothing readable.
FileKind kind_of(DWORD attributes, DWORD reparse_tag) {
  constexpr DWORD kNameSurrogate = 0x20000000;
  constexpr DWORD kAppAlias = 0x8000001b;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    if ((reparse_tag & kNameSurrogate) != 0) {
      return FileKind::symlink;
    }
    if (reparse_tag == kAppAlias) {
      return FileKind::special;
    }
  }
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return FileKind::directory;
  }
  return (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? FileKind::special : FileKind::regular;
}

constexpr std::uint64_t join_halves(DWORD high, DWORD low) {
  return (std::uint64_t{high} << 32U) | low;
}

std::int64_t unix_ns(FILETIME time) {
  constexpr std::int64_t kFrom1601To1970 = 116'444'736'000'000'000;  // in units of 100 ns
  const auto ticks =
      static_cast<std::int64_t>(join_halves(time.dwHighDateTime, time.dwLowDateTime));
  return (ticks - kFrom1601To1970) * 100;
}

Result<Handle> open_regular(const std::string& path) {
  PLUMB_ASSIGN(const std::wstring full, system_path(path));
  Handle handle(::CreateFileW(
      full.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
      OPEN_EXISTING, FILE_FLAG_RANDOM_ACCESS | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
      nullptr));
  if (!handle.valid()) {
    Error error = system_error(::GetLastError());
    const DWORD attributes = ::GetFileAttributesW(full.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
      return fail(ErrorCode::special_file, "is a folder, not a file");
    }
    return std::unexpected(std::move(error));
  }
  if (::GetFileType(handle.get()) != FILE_TYPE_DISK) {
    return fail(ErrorCode::special_file, "is a pipe or device; plumb reads regular files only");
  }
  return handle;
}

// One ReadFile at `offset`; 0 at the end of the file. The offset travels with the call, so threads
// do not disturb each other although they share the handle.
Result<std::size_t> read_at(HANDLE handle, std::uint64_t offset, std::span<std::byte> out) {
  constexpr std::size_t kMostAtOnce = 1U << 30U;
  OVERLAPPED position{};
  position.Offset = static_cast<DWORD>(offset & 0xffffffffU);
  position.OffsetHigh = static_cast<DWORD>(offset >> 32U);
  DWORD got = 0;
  if (!::ReadFile(handle, out.data(), static_cast<DWORD>(std::min(out.size(), kMostAtOnce)), &got,
                  &position)) {
    const DWORD number = ::GetLastError();
    if (number == ERROR_HANDLE_EOF) {
      return std::size_t{0};
    }
    return std::unexpected(
        system_error(number).while_doing("reading at offset " + std::to_string(offset)));
  }
  return std::size_t{got};
}

class FileSource final : public Source {
 public:
  FileSource(Handle handle, std::uint64_t size) : handle_(std::move(handle)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }

  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!fits(offset, out.size(), size_)) {
      return fail(ErrorCode::truncated, "needs " + std::to_string(out.size()) +
                                            " bytes at offset " + std::to_string(offset) +
                                            ", but the file has " + std::to_string(size_));
    }
    while (!out.empty()) {
      PLUMB_ASSIGN(const std::size_t got, read_at(handle_.get(), offset, out));
      if (got == 0) {
        return fail(ErrorCode::changed, "became shorter while it was read: had " +
                                            std::to_string(size_) + " bytes, now ends before " +
                                            std::to_string(offset + out.size()));
      }
      offset += got;
      out = out.subspan(got);
    }
    return {};
  }

 private:
  Handle handle_;
  std::uint64_t size_;
};

}  // namespace

Result<FileStatus> file_status(const std::string& path, Links links) {
  FileStatus result;
  const auto failed = [&](Error error) -> Result<FileStatus> {
    if (error.code == ErrorCode::not_found) {
      return result;
    }
    if (error.code == ErrorCode::special_file) {
      result.kind = FileKind::special;
      return result;
    }
    return std::unexpected(std::move(error));
  };
  auto full = system_path(path);
  if (!full) {
    return failed(std::move(full).error());
  }
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS |
                      (links == Links::keep ? DWORD{FILE_FLAG_OPEN_REPARSE_POINT} : DWORD{0});
  const Handle handle(::CreateFileW(full->c_str(), FILE_READ_ATTRIBUTES,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, flags, nullptr));
  BY_HANDLE_FILE_INFORMATION information{};
  if (!handle.valid() || !::GetFileInformationByHandle(handle.get(), &information)) {
    return failed(system_error(::GetLastError()));
  }
  FILE_ATTRIBUTE_TAG_INFO tag{};
  if ((information.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    ::GetFileInformationByHandleEx(handle.get(), FileAttributeTagInfo, &tag, sizeof tag);
  }
  result.kind = kind_of(information.dwFileAttributes, tag.ReparseTag);
  result.size = join_halves(information.nFileSizeHigh, information.nFileSizeLow);
  result.modified_ns = unix_ns(information.ftLastWriteTime);
  result.device = information.dwVolumeSerialNumber;
  result.inode = join_halves(information.nFileIndexHigh, information.nFileIndexLow);
  return result;
}

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  PLUMB_ASSIGN(Handle handle, open_regular(path));
  LARGE_INTEGER size{};
  if (!::GetFileSizeEx(handle.get(), &size)) {
    return last_error();
  }
  return std::make_unique<FileSource>(std::move(handle), static_cast<std::uint64_t>(size.QuadPart));
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t cap) {
  PLUMB_ASSIGN(const Handle handle, open_regular(path));
  std::string text;
  std::array<std::byte, 16384> buffer;
  while (true) {
    PLUMB_ASSIGN(const std::size_t got, read_at(handle.get(), text.size(), buffer));
    if (got == 0) {
      return text;
    }
    if (got > cap - text.size()) {
      return fail(ErrorCode::limit, "is longer than the " + std::to_string(cap) +
                                        " bytes that plumb reads of such a file");
    }
    text.append(as_text(std::span(buffer).first(got)));
  }
}

Result<std::vector<DirectoryEntry>> list_directory(const std::string& path) {
  PLUMB_ASSIGN(std::wstring pattern, system_path(path));
  pattern += pattern.ends_with(L'\\') ? L"*" : L"\\*";
  WIN32_FIND_DATAW found{};
  const HANDLE search =
      ::FindFirstFileExW(pattern.c_str(), FindExInfoBasic, &found, FindExSearchNameMatch, nullptr,
                         FIND_FIRST_EX_LARGE_FETCH);
  if (search == INVALID_HANDLE_VALUE) {
    const DWORD number = ::GetLastError();
    // An empty drive's root has not even "."; a missing folder gives another number.
    if (number == ERROR_FILE_NOT_FOUND) {
      return std::vector<DirectoryEntry>{};
    }
    return std::unexpected(system_error(number));
  }
  const auto close_search = [](void* handle) { ::FindClose(handle); };
  const std::unique_ptr<void, decltype(close_search)> closer(search, close_search);
  std::vector<DirectoryEntry> entries;
  std::size_t bytes = 0;
  do {
    const std::wstring_view name = found.cFileName;
    if (name == L"." || name == L"..") {
      continue;
    }
    entries.push_back({from_wide(name), kind_of(found.dwFileAttributes, found.dwReserved0)});
    bytes += entries.back().name.size() + sizeof(DirectoryEntry);
    if (bytes > kMaxListingBytes) {
      return fail(ErrorCode::limit,
                  "holds too many names: more than " + std::to_string(entries.size()));
    }
  } while (::FindNextFileW(search, &found));
  if (::GetLastError() != ERROR_NO_MORE_FILES) {
    return last_error();
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace plumb

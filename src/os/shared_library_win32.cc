// SPDX-License-Identifier: Apache-2.0
#include "os/shared_library.h"

#include <windows.h>

#include <string>
#include <string_view>
#include <utility>

#include "os/system_error.h"
#include "os/wide.h"

namespace plumb {
namespace {

bool is_absolute(const std::string& path) {
  const bool drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  return drive || path.starts_with("\\\\");
}

Error load_error(DWORD number) {
  const auto say = [&](ErrorCode code, std::string what) {
    return Error{code, std::move(what) + " (Windows error " + std::to_string(number) + ")", {}, {}};
  };
  switch (number) {
    case ERROR_MOD_NOT_FOUND:
      return say(ErrorCode::not_found, "the library, or one that it needs, is not there");
    case ERROR_PROC_NOT_FOUND:
      return say(ErrorCode::mismatch, "a library that it needs lacks a function");
    case ERROR_BAD_EXE_FORMAT:
      return say(ErrorCode::malformed, "the file is no library for this machine");
    case ERROR_DLL_INIT_FAILED:
      return say(ErrorCode::io, "the library's own start failed");
    default:
      return system_error(number);
  }
}

}  // namespace

Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
  HMODULE handle = nullptr;
  if (!name.contains('/') && !name.contains('\\')) {
    handle = ::LoadLibraryExW(to_wide(name).c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  }
  if (handle == nullptr) {
    return fail(ErrorCode::not_found, "the library " + name + " is not on this system");
  }
  return SharedLibrary(handle);
}

Result<SharedLibrary> SharedLibrary::open(const std::string& path) {
  if (!is_absolute(path)) {
    return fail(ErrorCode::usage, "the path of a library must be absolute");
  }
  const HMODULE handle =
      ::LoadLibraryExW(to_wide(path).c_str(), nullptr,
                       LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (handle == nullptr) {
    return std::unexpected(load_error(::GetLastError()));
  }
  return SharedLibrary(handle);
}

std::string SharedLibrary::path() const {
  constexpr std::size_t kLongestPath = 32'768;
  std::wstring path(kLongestPath, L'\0');
  const DWORD length = ::GetModuleFileNameW(static_cast<HMODULE>(handle_), path.data(),
                                            static_cast<DWORD>(path.size()));
  return from_wide(std::wstring_view(path).substr(0, length));
}

void* SharedLibrary::find_symbol(const char* name) const {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace plumb

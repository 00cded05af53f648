// SPDX-License-Identifier: Apache-2.0
#include "os/shared_library.h"

#include <windows.h>

#include "os/wide.h"

namespace plumb {

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

void* SharedLibrary::find_symbol(const char* name) const {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace plumb

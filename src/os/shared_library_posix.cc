// SPDX-License-Identifier: Apache-2.0
#include "os/shared_library.h"

#include <dlfcn.h>
#include <link.h>

namespace plumb {

Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
  void* handle = name.contains('/') ? nullptr : ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::not_found, "the library " + name + " is not on this system");
  }
  return SharedLibrary(handle);
}

Result<SharedLibrary> SharedLibrary::open(const std::string& path) {
  if (path.contains('/') && !path.starts_with('/')) {
    return fail(ErrorCode::usage, "the path of a library must be absolute");
  }
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = ::dlerror();
    const std::string told = text == nullptr ? "no reason given" : text;
    const bool missing = told.contains("No such file or directory");
    return fail(missing ? ErrorCode::not_found : ErrorCode::malformed, told);
  }
  return SharedLibrary(handle);
}

std::string SharedLibrary::path() const {
  const link_map* entry = nullptr;
  const bool told = ::dlinfo(handle_, RTLD_DI_LINKMAP, &entry) == 0 && entry != nullptr;
  return told && entry->l_name != nullptr ? entry->l_name : "";
}

void* SharedLibrary::find_symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace plumb

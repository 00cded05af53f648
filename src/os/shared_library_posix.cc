// SPDX-License-Identifier: Apache-2.0
#include "os/shared_library.h"

#include <dlfcn.h>

namespace plumb {

Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
  void* handle = name.contains('/') ? nullptr : ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::not_found, "the library " + name + " is not on this system");
  }
  return SharedLibrary(handle);
}

void* SharedLibrary::find_symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace plumb

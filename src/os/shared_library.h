// SPDX-License-Identifier: Apache-2.0
#pragma once
// Libraries of the system that plumb can use but must be able to do without: loaded by name when
// first needed, never linked. shared_library_posix.cc / shared_library_win32.cc.

#include <string>

#include "base/result.h"

namespace plumb {

/// Stays loaded until the process ends.
class SharedLibrary {
 public:
  /// By bare file name: Linux where the loader looks, Windows in System32 alone, so that a file
  /// lying about in the current folder is never run. Error: not_found.
  [[nodiscard]] static Result<SharedLibrary> load(const std::string& name);

  /// By absolute path; by bare name on Linux alone, found as any program would find it. What it
  /// needs comes from its own folder and from System32, on Windows from nowhere else. The error's
  /// text is the loader's. Errors: not_found, usage (a path that is not absolute), malformed.
  [[nodiscard]] static Result<SharedLibrary> open(const std::string& path);

  /// The file that was loaded.
  [[nodiscard]] std::string path() const;

  /// Sets `function` to the exported function of that name; false, and null, if there is none.
  template <class F>
  [[nodiscard]] bool find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(find_symbol(name));
    return function != nullptr;
  }

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  [[nodiscard]] void* find_symbol(const char* name) const;

  void* handle_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "loader/windows_import.h"

#include <algorithm>

#include "loader/framework_version.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

constexpr std::uint32_t kByPath = kLoadSearchDllLoadDir | kLoadSearchDefaultDirs;

}  // namespace

WindowsImport::WindowsImport(WindowsProcess& process, const PythonPlace& python,
                             const FrameworkToLoad& framework)
    : FrameworkImport(process.files(), python, framework, PathKind::backslashes),
      process_(process) {}

bool WindowsImport::searches_path() const {
  return !python_.version.empty() && parse_release(python_.version) < Release{3, 8};
}

bool WindowsImport::note_load(const std::string& name, const WindowsLoad& loaded,
                              const std::string& asked_by, Wanted wanted) {
  last_error_ = loaded.object ? 0 : loaded.error;
  return note(name, loaded, asked_by, wanted);
}

bool WindowsImport::open(const std::string& name, std::uint32_t flags, const std::string& asked_by,
                         Wanted wanted) {
  return note_load(name, process_.load(name, flags), asked_by, wanted);
}

std::string WindowsImport::missing_for(const std::string& path) {
  return process_.load(path, searches_path() ? kLoadAlteredSearchPath : kByPath).missing;
}

bool WindowsImport::import_module(const std::string& path, Wanted wanted) {
  return open(path, searches_path() ? kLoadAlteredSearchPath : kByPath, "import", wanted);
}

bool WindowsImport::open_by_ctypes(const std::string& name, const std::string& python_file,
                                   Wanted wanted) {
  const std::uint32_t flags = has_windows_folder(name) ? kByPath : kLoadSearchDefaultDirs;
  return open(name, searches_path() ? 0 : flags, python_file, wanted);
}

bool WindowsImport::open_by_library(const std::string& name, std::size_t caller, Wanted wanted) {
  return note_load(name, process_.load(name, 0, LoadMode::strict, caller), object(caller).file,
                   wanted);
}

void WindowsImport::open_each(const std::vector<std::string>& dlls,
                              const std::vector<std::string>& folders,
                              const std::string& python_file) {
  bool path_is_patched = false;
  for (const std::string& dll : dlls) {
    if (open(dll, kByPath, python_file, Wanted::optional)) {
      continue;
    }
    if (last_error_ == kErrorModuleNotFound) {
      if (!path_is_patched) {
        put_before_path(folders);
        path_is_patched = true;
      }
      forget_last_request();
      if (open(dll, 0, python_file, Wanted::required)) {
        continue;
      }
    }
    fail_by_last_request();
    return;
  }
}

void WindowsImport::add_folder(const std::string& folder) {
  if (finder_.is_folder(folder)) {
    process_.add_folder(folder);
  }
}

void WindowsImport::put_before_path(const std::vector<std::string>& folders) {
  std::vector<std::string> path = folders;
  path.insert(path.end(), process_.settings().path.begin(), process_.settings().path.end());
  process_.set_path(std::move(path));
}

void WindowsImport::fail_by_last_request() {
  if (!load_.requests.empty() && !load_.requests.back().object) {
    LibraryRequest& request = load_.requests.back();
    request.optional = false;
    fail_import(request.fault, request.missing, request.wanted_by);
  }
}

}  // namespace plumb

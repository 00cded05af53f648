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
    : process_(process),
      python_(python),
      framework_(framework),
      finder_(process.files(), python, PathKind::backslashes) {}

std::string WindowsImport::in_site(std::string_view relative) const {
  return finder_.join(framework_.site, relative);
}

bool WindowsImport::searches_path() const {
  return !python_.version.empty() && parse_release(python_.version) < Release{3, 8};
}

bool WindowsImport::note(const std::string& name, const WindowsLoad& loaded, std::string asked_by,
                         Wanted wanted) {
  LibraryRequest request;
  request.name = name;
  request.moment = moment_;
  request.object = loaded.object;
  request.optional = wanted == Wanted::optional;
  request.asked_by = std::move(asked_by);
  last_error_ = loaded.object ? 0 : loaded.error;
  if (!loaded.object) {
    request.fault = loaded.fault;
    request.missing = loaded.missing;
    request.wanted_by = loaded.wanted_by;
  }
  load_.requests.push_back(std::move(request));
  if (!loaded.object && wanted == Wanted::required && moment_ == LoadMoment::import) {
    fail_import(loaded.fault, loaded.missing, loaded.wanted_by);
  }
  return loaded.object.has_value();
}

bool WindowsImport::open(const std::string& name, std::uint32_t flags, const std::string& asked_by,
                         Wanted wanted) {
  return note(name, process_.load(name, flags), asked_by, wanted);
}

std::string WindowsImport::missing_for(const std::string& path) {
  return process_.load(path, searches_path() ? kLoadAlteredSearchPath : kByPath).missing;
}

bool WindowsImport::import_module(const std::string& path, Wanted wanted) {
  return open(path, searches_path() ? kLoadAlteredSearchPath : kByPath, "import", wanted);
}

bool WindowsImport::import_module(const std::string& folder, std::string_view name, Wanted wanted) {
  const std::string path = finder_.extension_module(in_site(folder), name);
  if (!path.empty()) {
    return import_module(path, wanted);
  }
  if (wanted == Wanted::required && moment_ == LoadMoment::import) {
    std::string dotted = folder + "." + std::string(name);
    std::ranges::replace(dotted, '/', '.');
    fail_import("No module named '" + dotted + "'", in_site(folder + "/" + std::string(name)),
                in_site(folder));
  }
  return false;
}

bool WindowsImport::open_by_ctypes(const std::string& name, const std::string& python_file,
                                   Wanted wanted) {
  const std::uint32_t flags = has_windows_folder(name) ? kByPath : kLoadSearchDefaultDirs;
  return open(name, searches_path() ? 0 : flags, python_file, wanted);
}

bool WindowsImport::open_by_library(const std::string& name, std::size_t caller, Wanted wanted) {
  return note(name, process_.load(name, 0, LoadMode::strict, caller), object(caller).file, wanted);
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

void WindowsImport::fail_import(std::string fault, std::string missing, std::string wanted_by) {
  if (!load_.failed) {
    load_.failed = true;
    load_.fault = std::move(fault);
    load_.missing = std::move(missing);
    load_.wanted_by = std::move(wanted_by);
  }
}

void WindowsImport::fail_by_last_request() {
  if (!load_.requests.empty() && !load_.requests.back().object) {
    LibraryRequest& request = load_.requests.back();
    request.optional = false;
    fail_import(request.fault, request.missing, request.wanted_by);
  }
}

void WindowsImport::forget_last_request() {
  if (!load_.requests.empty()) {
    load_.requests.pop_back();
  }
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "loader/windows_loading.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

// A large process (an office suite with all its add-ins) has some 500 modules.
constexpr std::size_t kMaxModules = 4096;

std::uint32_t error_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
    case ErrorCode::loop:
      return kErrorModuleNotFound;
    case ErrorCode::no_permission:
    case ErrorCode::special_file:
    case ErrorCode::io:
      return kErrorAccessDenied;
    default:
      return kErrorBadExeFormat;
  }
}

std::string words_of(std::uint32_t error) {
  switch (error) {
    case kErrorModuleNotFound:
      return "the specified module could not be found";
    case kErrorBadExeFormat:
      return "not a valid Win32 application";
    case kErrorAccessDenied:
      return "access is denied";
    case kErrorSideBySide:
      return "its side-by-side configuration is incorrect";
    case kErrorInvalidParameter:
      return "the parameter is incorrect";
    default:
      return "not enough memory";
  }
}

}  // namespace

std::string with_dll_extension(std::string_view name) {
  std::string text(name);
  text.erase(text.find_last_not_of(' ') + 1);
  if (windows_base_name(text).find('.') == std::string_view::npos) {
    return text + ".dll";
  }
  text.erase(text.find_last_not_of('.') + 1);
  return text;
}

WindowsProcess::Loading::Loading(WindowsProcess& process, std::uint32_t flags,
                                 const std::string& folder, LoadMode mode)
    : process_(process), mode_(mode), first_(process.objects_.size()) {
  look_through(flags, folder);
}

void WindowsProcess::Loading::look_through(std::uint32_t flags, const std::string& folder) {
  places_.clear();
  for (WindowsPlace& place : process_.places(flags, folder)) {
    if (process_.is_folder(place.folder)) {
      places_.push_back(std::move(place));
    }
  }
}

WindowsProcess::Found WindowsProcess::Loading::find(const std::string& asked,
                                                    std::optional<std::size_t> asker,
                                                    bool dynamic) {
  std::string name = with_dll_extension(asked);
  if (std::optional<Found> redirected = find_redirected(name)) {
    return *std::move(redirected);
  }
  Found found;
  const auto host = process_.host_of_api_set(
      name, asker ? std::string_view(process_.objects_[*asker].name) : std::string_view());
  if (host) {
    return find_behind_api_set(name, *host);
  }
  if (is_api_set_name(name) && !process_.knows_api_sets()) {
    // Windows 7 has files of these names, later ones have none, and none of the program's counts.
    found.rule = LoadRule::api_set;
    found.object = process_.find_loaded(name);
    found.file = join_windows_path(process_.settings_.system_folder, name);
    if (process_.files_.entry(found.file).kind != EntryKind::file) {
      found.file.clear();
      found.provided = to_lower_ascii(name);
    }
    return found;
  }
  if (std::optional<Found> assembly = find_assembly(name, asker, dynamic)) {
    return *std::move(assembly);
  }
  if ((found.object = process_.find_loaded(name))) {
    found.rule = LoadRule::already_loaded;
    return found;
  }
  if (process_.is_known_dll(to_lower_ascii(name))) {
    found.rule = LoadRule::known_dll;
    if (!process_.has_system_) {
      found.provided = to_lower_ascii(name);
      return found;
    }
    found.file = join_windows_path(process_.settings_.system_folder, name);
    if (process_.files_.entry(found.file).kind == EntryKind::file) {
      return found;
    }
  }
  return search(name);
}

std::optional<WindowsProcess::Found> WindowsProcess::Loading::find_redirected(
    const std::string& name) {
  if (!process_.settings_.local_redirection || process_.objects_.empty() ||
      process_.is_known_dll(to_lower_ascii(name))) {
    return std::nullopt;
  }
  const std::string& program = process_.objects_.front().file;
  const std::string local = program + ".local";
  const EntryKind kind = process_.files_.entry(local).kind;
  if (kind == EntryKind::none) {
    return std::nullopt;
  }
  Found found;
  found.rule = LoadRule::redirection;
  found.detail = local;
  found.file =
      join_windows_path(kind == EntryKind::folder ? local : windows_folder_of(program), name);
  if (process_.files_.entry(found.file).kind != EntryKind::file) {
    return std::nullopt;
  }
  return found;
}

WindowsProcess::Found WindowsProcess::Loading::search(const std::string& name) {
  Found found;
  for (const WindowsPlace& place : places_) {
    std::string file = join_windows_path(place.folder, name);
    const EntryKind kind = process_.files_.entry(file).kind;
    if (kind != EntryKind::none && kind != EntryKind::loop) {
      found.error = kind == EntryKind::folder ? kErrorAccessDenied : 0;  // the search ends there
      found.file = std::move(file);
      found.rule = place.rule;
      found.detail = place.detail;
      return found;
    }
  }
  const std::string key = to_lower_ascii(name);
  if (!process_.has_system_ &&
      std::ranges::find(process_.settings_.provided, key) != process_.settings_.provided.end()) {
    found.rule = LoadRule::system_folder;
    found.provided = key;
    return found;
  }
  found.error = kErrorModuleNotFound;
  return found;
}

std::optional<std::size_t> WindowsProcess::Loading::open(Found& found,
                                                         std::optional<std::size_t> needed_by,
                                                         std::optional<std::size_t> opened_by) {
  if (found.object || found.error != 0) {
    return found.object;
  }
  if (process_.objects_.size() >= kMaxModules) {
    found.error = kErrorNotEnoughMemory;
    found.why = "more than " + std::to_string(kMaxModules) + " modules";
    return std::nullopt;
  }
  WindowsObject object;
  object.needed_by = needed_by;
  object.opened_by = opened_by;
  object.rule = found.rule;
  object.detail = found.detail;
  if (!found.provided.empty()) {
    object.name = found.provided;
  } else {
    object.file = full_windows_path(found.file, process_.settings_.current_folder);
    const FileEntry entry = process_.files_.entry(object.file);
    object.identity = entry.identity.empty() ? to_lower_ascii(object.file) : entry.identity;
    if (const auto same = process_.by_identity_.find(object.identity);
        same != process_.by_identity_.end()) {
      found.object = same->second;
      found.rule = LoadRule::already_loaded;
      return found.object;
    }
    object.name = to_lower_ascii(windows_base_name(object.file));
    if (!read(object, found)) {
      return std::nullopt;
    }
  }
  found.object = process_.objects_.size();
  process_.keep(std::move(object));
  return found.object;
}

bool WindowsProcess::Loading::resolve() {
  for (std::size_t i = first_; i < process_.objects_.size(); ++i) {
    for (std::size_t n = 0; n < process_.objects_[i].needs.size(); ++n) {
      if (process_.objects_[i].needs[n].delayed) {
        continue;
      }
      Found found = find(process_.objects_[i].needs[n].name, i, /*dynamic=*/false);
      open(found, i, std::nullopt);
      WindowsNeed& need = process_.objects_[i].needs[n];
      need.object = found.object;
      need.rule = found.rule;
      need.detail = found.detail;
      if (!found.object) {
        need.fault = words(found, need.name);
        if (mode_ == LoadMode::strict) {
          note_failure(found, need.name, process_.objects_[i].file);
          return false;
        }
      }
    }
  }
  return true;
}

void WindowsProcess::Loading::note_failure(const Found& found, const std::string& name,
                                           const std::string& wanted_by) {
  result_.error = found.error;
  result_.fault = words(found, name);
  result_.missing = name;
  result_.wanted_by = wanted_by;
}

WindowsLoad WindowsProcess::Loading::fail() {
  process_.forget_from(first_);
  result_.object.reset();
  return std::move(result_);
}

WindowsLoad WindowsProcess::Loading::succeed(std::size_t object) {
  result_.object = object;
  for (std::size_t i = first_; i < process_.objects_.size(); ++i) {
    result_.loaded.push_back(i);
  }
  return std::move(result_);
}

std::string WindowsProcess::Loading::words(const Found& found, const std::string& name) {
  std::string text = (found.file.empty() ? name : found.file) + ": " + words_of(found.error);
  if (!found.why.empty()) {
    text += " (" + found.why + ")";
  }
  return text;
}

bool WindowsProcess::Loading::read(WindowsObject& object, Found& found) {
  const auto pe = process_.files_.pe(object.file);
  if (!pe) {
    found.error = error_of(pe.error());
    found.why = found.error == kErrorModuleNotFound ? "" : pe.error().what;
    return false;
  }
  object.pe = *pe;
  if (object.pe->machine != process_.settings_.machine) {
    found.error = kErrorBadExeFormat;
    found.why =
        "it is for " + object.pe->machine + ", the process is " + process_.settings_.machine;
    return false;
  }
  // Windows maps all sections or none.
  const auto cut = std::ranges::find(object.pe->faults, ErrorCode::truncated, &Error::code);
  if (cut != object.pe->faults.end()) {
    found.error = kErrorBadExeFormat;
    found.why = cut->what;
    return false;
  }
  if (!object.pe->manifest.empty()) {
    const auto missing = process_.side_by_side_.missing(
        process_.files_, object.pe->manifest, windows_folder_of(object.file),
        process_.settings_.windows_folder, process_.settings_.machine);
    if (missing) {
      found.error = kErrorSideBySide;
      found.why = "the assembly " + *missing + " is not there";
      return false;
    }
  }
  for (const std::string& name : object.pe->imports) {
    object.needs.emplace_back().name = name;
  }
  for (const std::string& name : object.pe->delay_imports) {
    object.needs.emplace_back().name = name;
    object.needs.back().delayed = true;
  }
  return true;
}

WindowsProcess::Found WindowsProcess::Loading::find_behind_api_set(const std::string& name,
                                                                   const std::string& host) {
  Found found;
  found.rule = LoadRule::api_set;
  found.detail = name + " is " + host;
  if (host.empty()) {
    found.error = kErrorModuleNotFound;
    found.why = "this Windows has nothing behind the API set";
    return found;
  }
  found.object = process_.find_loaded(host);
  found.file = join_windows_path(process_.settings_.system_folder, host);
  return found;
}

std::optional<WindowsProcess::Found> WindowsProcess::Loading::find_assembly(
    const std::string& name, std::optional<std::size_t> asker, bool dynamic) {
  std::vector<std::size_t> carriers;
  if (asker && !dynamic) {
    carriers.push_back(*asker);
  }
  if (!process_.objects_.empty() && carriers != std::vector<std::size_t>{0}) {
    carriers.push_back(0);
  }
  for (const std::size_t carrier : carriers) {
    const WindowsObject& object = process_.objects_[carrier];
    if (object.pe == nullptr || object.pe->manifest.empty()) {
      continue;
    }
    auto file = process_.side_by_side_.find(
        process_.files_, object.pe->manifest, windows_folder_of(object.file),
        process_.settings_.windows_folder, process_.settings_.machine, to_lower_ascii(name));
    if (file) {
      Found found;
      found.rule = LoadRule::manifest;
      found.detail = "the manifest of " + object.file;
      found.file = *std::move(file);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace plumb

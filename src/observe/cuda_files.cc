// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_files.h"

#include <utility>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostFaults = 64;

}  // namespace

CudaFiles::CudaFiles(const Host& host)
    : host_(host), windows_(host.is_windows()), files_(host, host.system) {}

std::string CudaFiles::join(std::string_view folder, std::string_view parts) const {
  std::string path(folder);
  const char separator = windows_ ? '\\' : '/';
  if (!path.empty() && path.back() != separator && !(windows_ && path.back() == '/')) {
    path += separator;
  }
  for (const char c : parts) {
    path += windows_ && c == '/' ? '\\' : c;
  }
  return path;
}

std::string CudaFiles::parent(std::string_view path) const {
  const std::size_t at = path.find_last_of(windows_ ? "\\/" : "/");
  return std::string(path.substr(0, at == std::string_view::npos ? 0 : at));
}

bool CudaFiles::is_folder(const std::string& path) {
  return files_.entry(path).kind == EntryKind::folder;
}

bool CudaFiles::is_file(const std::string& path) {
  return files_.entry(path).kind == EntryKind::file;
}

std::string CudaFiles::real(const std::string& path) {
  return files_.resolved(path);
}

std::string CudaFiles::identity(const std::string& path) {
  return files_.entry(path).identity;
}

const std::vector<DirectoryEntry>& CudaFiles::list(const std::string& folder) {
  const std::string known_as = identity(folder);
  const std::string& key = known_as.empty() ? folder : known_as;
  if (const auto known = lists_.find(key); known != lists_.end()) {
    return known->second;
  }
  std::vector<DirectoryEntry> entries;
  const std::string here = known_as.empty() ? std::string{} : files_.here(folder);
  if (!here.empty() && is_folder(folder)) {
    if (auto found = list_directory(here)) {
      entries = std::move(*found);
    } else if (faults_.size() < kMostFaults) {
      faults_.push_back(std::move(found).error().in(folder));
    }
  }
  return lists_.emplace(key, std::move(entries)).first->second;
}

Result<std::string> CudaFiles::text(const std::string& path, std::uint64_t cap) {
  const std::string here = files_.here(path);
  if (here.empty()) {
    return fail(ErrorCode::not_found, "lies on a drive that is not here");
  }
  return read_text_file(here, cap);
}

Result<std::string> CudaFiles::start(const std::string& path, std::uint64_t limit) {
  const std::string here = files_.here(path);
  if (here.empty()) {
    return fail(ErrorCode::not_found, "lies on a drive that is not here");
  }
  return read_text_start(here, limit);
}

std::string CudaFiles::program_files() const {
  return host_.set_variable("ProgramW6432")
      .value_or(host_.set_variable("ProgramFiles").value_or("C:\\Program Files"));
}

std::string CudaFiles::program_data() const {
  return host_.set_variable("ProgramData").value_or("C:\\ProgramData");
}

std::vector<std::string> CudaFiles::path_list(const std::string& variable, std::size_t most) {
  std::vector<std::string> folders;
  const std::string value = host_.set_variable(variable).value_or("");
  for (std::string_view part : split(value, windows_ ? ';' : ':')) {
    if (windows_) {
      part = trim(part);
      if (part.size() >= 2 && part.front() == '"' && part.back() == '"') {
        part = part.substr(1, part.size() - 2);
      }
    }
    if (!part.empty() && folders.size() < most) {
      folders.emplace_back(part);
    }
  }
  return folders;
}

}  // namespace plumb

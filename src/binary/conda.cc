// SPDX-License-Identifier: Apache-2.0
#include "binary/conda.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "binary/member_source.h"
#include "binary/wheel.h"
#include "binary/zip.h"

namespace plumb {
namespace {

constexpr std::size_t kMaxIndex = 4u << 20;

/// What conda names in its own way; normalised, so that "__cuda" is "-cuda". '*' at the end: any
/// ending.
constexpr std::string_view kCondaGpuPackages[] = {
    "-cuda",         "cuda",       "cudatoolkit*",      "cudnn*",
    "nccl*",         "cutensor*",  "cusparselt*",       "magma*",
    "libcublas*",    "libcudnn*",  "libcudss*",         "libcufft*",
    "libcufile*",    "libcurand*", "libcusolver*",      "libcusparse*",
    "libcutensor*",  "libmagma*",  "libnpp*",           "libnvfatbin*",
    "libnvjitlink*", "libnvjpeg*", "libnvptxcompiler*", "libnvvm*",
    "pytorch*",      "libtorch*",  "libtensorflow*"};

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<std::string> list_of(const nlohmann::json& object, const char* key) {
  std::vector<std::string> list;
  const auto at = object.find(key);
  if (at != object.end() && at->is_array()) {
    for (const nlohmann::json& item : *at) {
      if (item.is_string()) {
        list.push_back(item.get<std::string>());
      }
    }
  }
  return list;
}

}  // namespace

Result<CondaName> parse_conda_name(std::string_view file_name) {
  std::string_view stem;
  for (const std::string_view ending : {".conda", ".tar.bz2"}) {
    if (ends_with_nocase(file_name, ending)) {
      stem = file_name.substr(0, file_name.size() - ending.size());
    }
  }
  const std::size_t build = stem.rfind('-');
  const std::size_t version =
      build == std::string_view::npos || build == 0 ? build : stem.rfind('-', build - 1);
  if (version == std::string_view::npos || version == 0 || version + 1 == build ||
      build + 1 == stem.size()) {
    return fail(ErrorCode::malformed, "the file name is not NAME-VERSION-BUILD.conda");
  }
  return CondaName{std::string(stem.substr(0, version)),
                   std::string(stem.substr(version + 1, build - version - 1)),
                   std::string(stem.substr(build + 1))};
}

Result<CondaIndex> parse_conda_index(std::string_view json) {
  if (json.size() > kMaxIndex) {
    return fail(ErrorCode::limit, "info/index.json is larger than plumb reads");
  }
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) {
    return fail(ErrorCode::malformed, "info/index.json is no JSON object");
  }
  CondaIndex index;
  index.name = text_of(object, "name");
  index.version = text_of(object, "version");
  index.build = text_of(object, "build");
  index.subdir = text_of(object, "subdir");
  index.depends = list_of(object, "depends");
  index.constrains = list_of(object, "constrains");
  if (index.name.empty() || index.version.empty()) {
    return fail(ErrorCode::malformed, "info/index.json has no name or version");
  }
  return index;
}

std::vector<std::string> conda_gpu_requirements(const std::vector<std::string>& depends) {
  std::vector<std::string_view> projects(std::begin(kGpuProjects), std::end(kGpuProjects));
  projects.insert(projects.end(), std::begin(kCondaGpuPackages), std::end(kCondaGpuPackages));
  return gpu_requirements(depends, projects);
}

Result<void> read_conda(const Source& package, const ReadTar& read_tar, const VisitMember& visit,
                        const std::function<void(Error)>& fault) {
  const auto visit_safe = [&](const std::string& name, const Source& member) -> Result<void> {
    if (const auto why = unsafe_member_name(name); !why.empty()) {
      fault(Error{ErrorCode::malformed,
                  "the member's name " + std::string(why),
                  shorten_middle(printable(name), 200),
                  {}});
      return {};
    }
    return visit(name, member);
  };
  const auto head = read_range(package, 0, std::min<std::uint64_t>(4, package.size()), 4);
  if (head && as_text(*head).starts_with("BZh")) {
    return read_tar(package, visit_safe);
  }
  PLUMB_ASSIGN(const ZipDirectory directory, read_zip_directory(package));
  bool any = false;
  for (const std::string_view part : {"info-", "pkg-"}) {
    for (const ZipEntry& entry : directory.entries) {
      if (entry.name.starts_with(part) && entry.name.ends_with(".tar.zst")) {
        any = true;
        PLUMB_ASSIGN(const auto tar, MemberSource::open(package, entry));
        PLUMB_TRY(read_tar(*tar, visit_safe));
      }
    }
  }
  if (!any) {
    return fail(ErrorCode::malformed, "the zip archive holds no conda package");
  }
  return {};
}

}  // namespace plumb

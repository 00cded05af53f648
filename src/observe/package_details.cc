// SPDX-License-Identifier: Apache-2.0
#include "observe/package_details.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/secrets.h"
#include "base/text.h"
#include "binary/wheel.h"
#include "observe/distributions.h"
#include "observe/host_paths.h"
#include "observe/import_path.h"
#include "observe/package_metadata.h"
#include "observe/record_check.h"
#include "observe/version_files.h"
#include "os/file.h"
#include "os/parallel.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSmallFile = 64 << 10;
constexpr std::size_t kMostFaults = 1000;
constexpr std::size_t kMostTags = 100;

constexpr auto kTools =
    std::to_array<std::string_view>({"numpy", "pip", "setuptools", "uv", "wheel", "conda"});

/// A requirement that holds without extras, on a GPU package or numpy.
bool requires_what_matters(const std::vector<std::string>& requires_dist) {
  return std::ranges::any_of(requires_dist, [](const std::string& requirement) {
    if (requirement.find("extra ==") != std::string::npos ||
        requirement.find("extra==") != std::string::npos) {
      return false;
    }
    const std::string name = requirement_name(requirement);
    return name == "numpy" || is_gpu_project(name);
  });
}

/// A small file of a *.dist-info; absent where it is not there.
Fact<std::string> small_file(const Distribution& distribution, const char* name) {
  const std::string path = join_path(join_path(distribution.site, distribution.info), name);
  auto text = read_text_file(path, kSmallFile);
  if (text) {
    return Fact<std::string>::present(*std::move(text), path);
  }
  // A bare *.egg-info file has nothing below it.
  const bool absent =
      text.error().code == ErrorCode::not_found || is_file(std::string(parent_path(path)));
  return absent ? Fact<std::string>::absent(path)
                : Fact<std::string>::unreadable(Error(text.error()).in(path), path);
}

template <class T>
Fact<T> without_value(const Fact<std::string>& fact) {
  return {{}, fact.origin, fact.fault};
}

struct VersionFile {
  std::string_view project;
  std::string_view path;  // below the site-packages folder
  BuildNote (*parse)(std::string_view);
};

constexpr VersionFile kVersionFiles[] = {
    {"torch", "torch/version.py", parse_torch_version},
    {"torchvision", "torchvision/version.py", parse_torch_version},
    {"torchaudio", "torchaudio/version.py", parse_torch_version},
    {"paddlepaddle*", "paddle/version/__init__.py", parse_paddle_version},
    {"tensorflow*", "tensorflow/python/platform/build_info.py", parse_tensorflow_build_info},
    {"tf-nightly*", "tensorflow/python/platform/build_info.py", parse_tensorflow_build_info},
    {"onnxruntime*", "onnxruntime/capi/build_and_package_info.py", parse_onnxruntime_info}};

void read_version_file(const Distribution& distribution, PackageDetail& detail) {
  const auto file = std::ranges::find_if(kVersionFiles, [&](const VersionFile& candidate) {
    const std::string_view project = candidate.project;
    return project.ends_with('*')
               ? distribution.normalized.starts_with(project.substr(0, project.size() - 1))
               : distribution.normalized == project;
  });
  if (file == std::end(kVersionFiles)) {
    return;
  }
  std::string path = distribution.site;
  for (const std::string_view part : split(file->path, '/')) {
    path = join_path(path, part);
  }
  const auto text = read_text_file(path, kSmallFile);
  if (!text) {
    detail.built_version = text.error().code == ErrorCode::not_found
                               ? Fact<std::string>::absent(path)
                               : Fact<std::string>::unreadable(Error(text.error()).in(path), path);
    detail.built_cuda = detail.built_version;
    return;
  }
  BuildNote note = file->parse(*text);
  detail.built_version = note.version.empty()
                             ? Fact<std::string>::absent(path)
                             : Fact<std::string>::present(std::move(note.version), path);
  detail.built_cuda = note.cuda ? Fact<std::string>::present(*std::move(note.cuda), path)
                                : Fact<std::string>::absent(path);
  detail.built_for = std::move(note.other_gpu);
}

void read_small_files(const Distribution& distribution, PackageDetail& detail) {
  detail.installer = small_file(distribution, "INSTALLER");
  if (detail.installer) {
    std::string& text = *detail.installer.value;
    text = trim(std::string_view(text).substr(0, std::min<std::size_t>(text.find('\n'), 100)));
  }
  const auto direct = small_file(distribution, "direct_url.json");
  detail.direct_url = without_value<InstallOrigin>(direct);
  if (direct) {
    auto origin = parse_direct_url(*direct.value);
    detail.direct_url = origin ? Fact<InstallOrigin>::present(*std::move(origin), direct.origin)
                               : Fact<InstallOrigin>::unreadable(
                                     Error(origin.error()).in(direct.origin), direct.origin);
  }
  const auto wheel = small_file(distribution, "WHEEL");
  detail.tags = without_value<std::vector<std::string>>(wheel);
  if (wheel) {
    auto file = parse_wheel_file(*wheel.value);
    if (file) {
      file->tags.resize(std::min(file->tags.size(), kMostTags));
      detail.tags = Fact<std::vector<std::string>>::present(std::move(file->tags), wheel.origin);
    } else {
      detail.tags = Fact<std::vector<std::string>>::unreadable(Error(file.error()).in(wheel.origin),
                                                               wheel.origin);
    }
  }
}

/// Normalised names of which `__editable__.NAME-VERSION.pth`, `__editable___NAME_VERSION_finder.py`
/// or NAME.egg-link lies in a folder.
bool is_marked_editable(const std::vector<DirectoryEntry>& entries, const std::string& name) {
  constexpr std::string_view kMark = "__editable__";
  const auto begin = std::ranges::lower_bound(
      entries, kMark, std::ranges::less{},
      [](const DirectoryEntry& entry) { return std::string_view(entry.name); });
  for (auto at = begin; at != entries.end() && at->name.starts_with(kMark); ++at) {
    std::string rest = normalize_project_name(std::string_view(at->name).substr(kMark.size()));
    if (rest.starts_with('-')) {
      rest.erase(0, 1);
    }
    if (rest.starts_with(name + "-")) {
      return true;
    }
  }
  return std::ranges::any_of(entries, [&](const DirectoryEntry& entry) {
    return entry.name.ends_with(".egg-link") &&
           normalize_project_name(std::string_view(entry.name).substr(0, entry.name.size() - 9)) ==
               name;
  });
}

class Observer {
 public:
  Observer(const Host& host, const PythonEnvironment& environment,
           const std::vector<Distribution>& distributions)
      : host_(host), environment_(environment), distributions_(distributions) {}

  [[nodiscard]] PackageDetails observe() {
    read_all_metadata();
    for (std::size_t i = 0; i < distributions_.size(); ++i) {
      if (matters(i)) {
        add_package(i);
      }
    }
    check_all_records();
    out_.variants = find_variants(distributions_);
    find_duplicates();
    find_conda_twins();
    observe_import_path(host_, environment_, out_);
    return std::move(out_);
  }

 private:
  void read_all_metadata() {
    metadata_.resize(distributions_.size());
    parallel_for(distributions_.size(),
                 [this](std::size_t i) { metadata_[i] = read_metadata_of(distributions_[i]); });
    for (MetadataReading& reading : metadata_) {
      for (MetadataFault& fault : reading.faults) {
        if (out_.metadata_faults.size() < kMostFaults) {
          out_.metadata_faults.push_back(std::move(fault));
        }
      }
    }
  }

  [[nodiscard]] bool matters(std::size_t i) const {
    const Distribution& distribution = distributions_[i];
    return distribution.gpu_project ||
           std::ranges::find(kTools, distribution.normalized) != kTools.end() ||
           requires_what_matters(metadata_[i].requires_dist);
  }

  const std::vector<DirectoryEntry>& entries_of(const std::string& site) {
    const auto [at, is_new] = sites_.try_emplace(site);
    if (is_new) {
      if (auto entries = list_directory(site)) {
        at->second = *std::move(entries);
      }
    }
    return at->second;
  }

  void add_package(std::size_t i) {
    const Distribution& distribution = distributions_[i];
    PackageDetail detail;
    detail.name = distribution.normalized;
    detail.site = distribution.site;
    detail.info = distribution.info;
    if (const auto info = parse_info_name(distribution.info)) {
      detail.folder_version = info->version;
    }
    detail.version = std::move(metadata_[i].version);
    read_small_files(distribution, detail);
    read_version_file(distribution, detail);
    detail.editable = (detail.direct_url && detail.direct_url.value->editable) ||
                      is_marked_editable(entries_of(distribution.site), detail.name);
    out_.packages.push_back(std::move(detail));
    important_.push_back(&distribution);
  }

  void check_all_records() {
    // A mounted Windows' paths are "C:" and what follows the root.
    const std::ptrdiff_t offset =
        host_.root.empty() ? 0 : 2 - static_cast<std::ptrdiff_t>(host_.root.size());
    RecordChecks checks = check_records(important_, environment_.root, environment_.system, offset);
    for (std::size_t i = 0; i < checks.checks.size(); ++i) {
      out_.packages[i].record = std::move(checks.checks[i]);
    }
    out_.records_cut = checks.cut;
    out_.long_paths = checks.long_paths;
    out_.longest_path = std::move(checks.longest_path);
  }

  void find_duplicates() {
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> infos;
    for (const Distribution& distribution : distributions_) {
      infos[{distribution.normalized, distribution.site}].push_back(distribution.info);
    }
    for (auto& [key, list] : infos) {
      if (list.size() > 1) {
        out_.duplicates.push_back({key.first, key.second, std::move(list)});
      }
    }
  }

  void find_conda_twins() {
    if (environment_.kind != EnvironmentKind::conda) {
      return;
    }
    std::map<std::string, const Distribution*> by_name;
    for (const Distribution& distribution : distributions_) {
      by_name.emplace(distribution.normalized, &distribution);
    }
    for (const CondaPackage& package : list_conda_packages(environment_.root)) {
      std::string name = normalize_project_name(package.name);
      name = name == "pytorch" ? "torch" : name == "tensorflow-base" ? "tensorflow" : name;
      const auto hit = by_name.find(name);
      if (hit == by_name.end()) {
        continue;
      }
      const Fact<std::string> installer = small_file(*hit->second, "INSTALLER");
      const std::string by(trim(installer.value.value_or(std::string{})));
      // conda-forge writes "2.5.1.post303" into METADATA of its 2.5.1.
      if ((!by.empty() && by != "conda") || !hit->second->version.starts_with(package.version)) {
        out_.conda_twins.push_back(
            {name, package.name, package.version, package.build, hit->second->version, by});
      }
    }
  }

  const Host& host_;
  const PythonEnvironment& environment_;
  const std::vector<Distribution>& distributions_;
  std::vector<MetadataReading> metadata_;
  std::vector<const Distribution*> important_;
  std::map<std::string, std::vector<DirectoryEntry>> sites_;
  PackageDetails out_;
};

std::string text_member(const nlohmann::json& object, const char* name) {
  const auto hit = object.find(name);
  return hit != object.end() && hit->is_string() ? hit->get<std::string>() : std::string{};
}

}  // namespace

Result<InstallOrigin> parse_direct_url(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return fail(ErrorCode::malformed, "direct_url.json is no JSON object");
  }
  InstallOrigin origin;
  origin.url = mask_secrets(text_member(json, "url"));
  if (origin.url.empty()) {
    return fail(ErrorCode::malformed, "direct_url.json has no url");
  }
  const auto part = [&](const char* name) {
    const auto hit = json.find(name);
    return hit != json.end() && hit->is_object() ? &*hit : nullptr;
  };
  if (const auto* folder = part("dir_info")) {
    origin.kind = "folder";
    const auto editable = folder->find("editable");
    origin.editable = editable != folder->end() && editable->is_boolean() && editable->get<bool>();
  } else if (const auto* vcs = part("vcs_info")) {
    origin.kind = "vcs";
    origin.revision = text_member(*vcs, "commit_id");
  } else if (part("archive_info") != nullptr) {
    origin.kind = "archive";
  }
  return origin;
}

PackageDetails observe_package_details(const Host& host, const PythonEnvironment& environment,
                                       const std::vector<Distribution>& distributions) {
  return Observer(host, environment, distributions).observe();
}

}  // namespace plumb

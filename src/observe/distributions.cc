// SPDX-License-Identifier: Apache-2.0
#include "observe/distributions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "binary/wheel.h"
#include "observe/host.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMetadataStart = 256 << 10;  // headers only; descriptions may be long
constexpr std::size_t kMostDistributions = 20'000;

/// "torch-2.14.1.dist-info" -> torch, 2.14.1. Old installers left '-' in names, so the last one
/// before a digit parts them.
std::optional<std::pair<std::string, std::string>> split_info_name(std::string_view stem) {
  std::size_t dash = stem.rfind('-');
  if (dash != std::string_view::npos && stem.substr(dash + 1).starts_with("py")) {
    stem = stem.substr(0, dash);  // name-1.0-py3.12.egg-info
    dash = stem.rfind('-');
  }
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == stem.size()) {
    return std::nullopt;
  }
  return std::pair(std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1)));
}

/// METADATA's own words. False if it cannot be read.
bool read_metadata(const std::string& site, const DirectoryEntry& entry, Distribution& out,
                   std::vector<Error>& errors) {
  const std::string info = join_path(site, entry.name);
  std::string path = info;
  if (entry.name.ends_with(".dist-info")) {
    path = join_path(info, "METADATA");
  } else if (is_folder(info)) {
    path = join_path(info, "PKG-INFO");
  }
  const auto text = read_text_start(path, kMetadataStart);
  if (!text) {
    errors.push_back(Error(text.error()).in(path));
    return false;
  }
  auto metadata = parse_metadata(*text);
  if (!metadata) {
    errors.push_back(Error(metadata.error()).in(path));
    return false;
  }
  out.name = std::move(metadata->name);
  out.version = std::move(metadata->version);
  out.requires_dist = std::move(metadata->requires_dist);
  return true;
}

}  // namespace

bool is_gpu_project(std::string_view normalized) {
  return std::ranges::any_of(kGpuProjects, [normalized](std::string_view pattern) {
    return pattern.ends_with('*') ? normalized.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : normalized == pattern;
  });
}

std::vector<Distribution> list_distributions(const std::vector<std::string>& site_packages,
                                             std::vector<Error>& errors) {
  std::vector<Distribution> found;
  std::set<std::string> names_above;  // in folders that Python looks into first
  for (const std::string& site : site_packages) {
    const auto entries = list_directory(site);
    if (!entries) {
      errors.push_back(Error(entries.error()).in(site));
      continue;
    }
    const std::size_t first = found.size();
    for (const DirectoryEntry& entry : *entries) {
      const bool dist_info = entry.name.ends_with(".dist-info");
      if ((!dist_info && !entry.name.ends_with(".egg-info")) || entry.name.starts_with('~')) {
        continue;  // "~orch-2.1.dist-info": pip's rename before an uninstall that failed
      }
      if (found.size() >= kMostDistributions) {
        errors.push_back(
            {ErrorCode::limit, "holds too many packages; the rest was left out", site, {}});
        break;
      }
      Distribution distribution;
      distribution.site = site;
      distribution.info = entry.name;
      const std::string_view stem = std::string_view(entry.name).substr(0, entry.name.rfind('.'));
      const auto parts = split_info_name(stem);
      if (parts) {
        std::tie(distribution.name, distribution.version) = *parts;
      }
      distribution.normalized = normalize_project_name(distribution.name);
      distribution.gpu_project = is_gpu_project(distribution.normalized);
      if (!parts || distribution.gpu_project) {
        if (!read_metadata(site, entry, distribution, errors) && !parts) {
          continue;
        }
        distribution.normalized = normalize_project_name(distribution.name);
        distribution.gpu_project = is_gpu_project(distribution.normalized);
      }
      if (!names_above.contains(distribution.normalized)) {
        found.push_back(std::move(distribution));
      }
    }
    for (std::size_t i = first; i < found.size(); ++i) {
      names_above.insert(found[i].normalized);
    }
  }
  std::ranges::stable_sort(found, {}, &Distribution::normalized);
  return found;
}

void read_requirements(Distribution& distribution, std::vector<Error>& errors) {
  Distribution read;
  const DirectoryEntry entry{distribution.info, FileKind::directory};
  if (read_metadata(distribution.site, entry, read, errors)) {
    distribution.requires_dist = std::move(read.requires_dist);
  }
}

void read_requirements(std::vector<Distribution>& distributions) {
  std::vector<Error> untold;  // packages that have nothing to do with a GPU
  for (Distribution& distribution : distributions) {
    if (!distribution.gpu_project) {
      read_requirements(distribution, untold);
    }
  }
}

std::vector<CondaPackage> list_conda_packages(const std::string& root) {
  std::vector<CondaPackage> packages;
  const auto entries = list_directory(join_path(root, "conda-meta"));
  if (!entries) {
    return packages;
  }
  for (const DirectoryEntry& entry : *entries) {
    std::string_view stem = entry.name;
    if (!stem.ends_with(".json")) {
      continue;
    }
    stem.remove_suffix(5);
    const std::size_t build = stem.rfind('-');
    const std::size_t version =
        build == std::string_view::npos || build == 0 ? build : stem.rfind('-', build - 1);
    if (version == std::string_view::npos || version == 0) {
      continue;
    }
    packages.push_back({std::string(stem.substr(0, version)),
                        std::string(stem.substr(version + 1, build - version - 1)),
                        std::string(stem.substr(build + 1))});
  }
  return packages;
}

}  // namespace plumb

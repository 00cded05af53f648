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

/// "torch-2.14.1" -> torch, 2.14.1. Old installers left '-' in names, so the last one before a
/// digit parts them.
std::optional<InfoName> split_info_name(std::string_view stem) {
  std::size_t dash = stem.rfind('-');
  if (dash != std::string_view::npos && stem.substr(dash + 1).starts_with("py")) {
    stem = stem.substr(0, dash);  // name-1.0-py3.12.egg-info
    dash = stem.rfind('-');
  }
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == stem.size()) {
    return std::nullopt;
  }
  return InfoName{std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

/// False where an old tool may have bent name or version to fit a file name: METADATA has the
/// words then.
bool is_plain(const InfoName& info) {
  constexpr std::string_view kVersion = "0123456789abcdefghijklmnopqrstuvwxyz.+";
  return info.name.find('-') == std::string::npos && info.version.front() >= '0' &&
         info.version.front() <= '9' &&
         info.version.find_first_not_of(kVersion) == std::string::npos;
}

/// The ending of a folder or file that describes a distribution; "" for others.
std::string_view info_ending(std::string_view name) {
  for (const std::string_view ending : {".dist-info", ".egg-info", ".egg"}) {
    if (ends_with_nocase(name, ending)) {
      return name.starts_with('~') || name.starts_with('-') ? std::string_view{} : ending;
    }
  }
  return {};
}

/// METADATA's own words. False if it cannot be read.
bool read_metadata(Distribution& out, std::vector<Error>& errors) {
  const std::string info = join_path(out.site, out.info);
  std::string path = info;
  if (ends_with_nocase(out.info, ".dist-info")) {
    path = join_path(info, "METADATA");
  } else if (is_folder(info)) {
    path = join_path(info, "PKG-INFO");
  }
  const auto text = read_text_start(path, kMetadataStart);
  if (!text) {
    errors.push_back(Error(text.error()).in(path));
    return false;
  }
  std::string_view headers = *text;
  if (headers.starts_with("\xef\xbb\xbf")) {
    headers.remove_prefix(3);
  }
  auto metadata = parse_metadata(headers);
  if (!metadata) {
    errors.push_back(Error(metadata.error()).in(path));
    return false;
  }
  out.name = std::move(metadata->name);
  out.version = std::move(metadata->version);
  out.requires_dist = std::move(metadata->requires_dist);
  return true;
}

/// One site-packages folder: its distributions, and those that its *.egg-link files name.
class SiteReader {
 public:
  SiteReader(const std::string& site, std::vector<Error>& errors) : site_(site), errors_(errors) {}

  void add(const std::string& site, const std::string& entry, std::string_view ending) {
    Distribution distribution;
    distribution.site = site;
    distribution.info = entry;
    if (ending == ".egg") {  // easy_install's: PKG-INFO lies in its EGG-INFO
      distribution.info = join_path(entry, "EGG-INFO");
      if (!is_folder(join_path(site, distribution.info))) {
        return;
      }
    }
    const auto parts =
        split_info_name(std::string_view(entry).substr(0, entry.size() - ending.size()));
    if (parts) {
      distribution.name = parts->name;
      distribution.version = parts->version;
    }
    distribution.normalized = normalize_project_name(distribution.name);
    distribution.gpu_project = is_gpu_project(distribution.normalized);
    if (!parts || distribution.gpu_project || !is_plain(*parts)) {
      std::vector<Error> untold;  // the name is enough
      const bool wanted = !parts || distribution.gpu_project;
      if (!read_metadata(distribution, wanted ? errors_ : untold) && !parts) {
        return;
      }
      distribution.normalized = normalize_project_name(distribution.name);
      distribution.gpu_project = is_gpu_project(distribution.normalized);
      if (!distribution.gpu_project) {
        distribution.requires_dist.clear();
      }
    }
    found.push_back(std::move(distribution));
  }

  /// NAME.egg-link of `setup.py develop`: its first line is the folder where NAME.egg-info lies.
  void follow_link(const std::string& entry) {
    const auto text = read_text_file(join_path(site_, entry), 64 << 10);
    const std::string folder(text ? trim(std::string_view(*text).substr(0, text->find('\n')))
                                  : std::string_view{});
    const std::string wanted =
        normalize_project_name(std::string_view(entry).substr(0, entry.size() - 9));
    const auto entries = list_directory(folder);
    for (const DirectoryEntry& inside : entries ? *entries : std::vector<DirectoryEntry>{}) {
      const std::string_view ending = info_ending(inside.name);
      const std::string_view stem =
          std::string_view(inside.name).substr(0, inside.name.size() - ending.size());
      const auto parts = split_info_name(stem);
      if (ending == ".egg-info" &&
          normalize_project_name(parts ? parts->name : std::string(stem)) == wanted) {
        add(folder, inside.name, ending);
        return;
      }
    }
  }

  std::vector<Distribution> found;

 private:
  const std::string& site_;
  std::vector<Error>& errors_;
};

}  // namespace

bool is_gpu_project(std::string_view normalized) {
  return std::ranges::any_of(kGpuProjects, [normalized](std::string_view pattern) {
    return pattern.ends_with('*') ? normalized.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : normalized == pattern;
  });
}

std::optional<InfoName> parse_info_name(std::string_view folder) {
  const std::string_view ending = info_ending(folder);
  return ending.empty() ? std::nullopt
                        : split_info_name(folder.substr(0, folder.size() - ending.size()));
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
    SiteReader reader(site, errors);
    for (const DirectoryEntry& entry : *entries) {
      if (found.size() + reader.found.size() >= kMostDistributions) {
        errors.push_back(
            {ErrorCode::limit, "holds too many packages; the rest was left out", site, {}});
        break;
      }
      if (const std::string_view ending = info_ending(entry.name); !ending.empty()) {
        reader.add(site, entry.name, ending);
      } else if (entry.name.ends_with(".egg-link") && entry.kind == FileKind::regular) {
        reader.follow_link(entry.name);
      }
    }
    const std::size_t first = found.size();
    for (Distribution& distribution : reader.found) {
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
  read.site = distribution.site;
  read.info = distribution.info;
  if (read_metadata(read, errors)) {
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

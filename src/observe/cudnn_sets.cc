// SPDX-License-Identifier: Apache-2.0
#include "observe/cudnn_sets.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "observe/cuda_headers.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestHeader = 1 << 18;  // nccl.h's numbers stand in its first KB
constexpr std::size_t kMostHeaders = 256;

struct HeaderKind {
  HeaderFamily family;
  const char* name;
  const char* major;
  const char* minor;
  const char* last;
};
constexpr std::array kHeaders = {
    HeaderKind{HeaderFamily::cudnn, "cudnn_version.h", "CUDNN_MAJOR", "CUDNN_MINOR",
               "CUDNN_PATCHLEVEL"},
    HeaderKind{HeaderFamily::cudnn, "cudnn.h", "CUDNN_MAJOR", "CUDNN_MINOR",
               "CUDNN_PATCHLEVEL"},  // up to 7; later ones include cudnn_version.h
    HeaderKind{HeaderFamily::nccl, "nccl.h", "NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"},
    HeaderKind{HeaderFamily::tensorrt, "NvInferVersion.h", "NV_TENSORRT_MAJOR", "NV_TENSORRT_MINOR",
               "NV_TENSORRT_PATCH"},
};

/// Where the headers that belong to a folder of libraries may lie, the nearest first.
std::vector<std::string> include_folders_near(CudaFiles& files, const std::string& folder) {
  std::vector<std::string> near;
  const std::string up = files.parent(folder);
  const std::string up2 = files.parent(up);
  const std::string name = base_name(folder);
  near.push_back(files.join(up, "include"));
  if (name.ends_with("-linux-gnu")) {  // /usr/lib/x86_64-linux-gnu -> /usr/include/x86_64-linux-gnu
    near.push_back(files.join(up2, "include/" + name));
  }
  if (files.windows()) {  // bin\12.9\x64 -> include\12.9, bin\12.6 -> include\12.6
    near.push_back(files.join(files.parent(up2), "include/" + base_name(up)));
    near.push_back(files.join(up2, "include/" + name));
  }
  near.push_back(files.join(up2, "include"));
  return near;
}

class HeaderFinder {
 public:
  explicit HeaderFinder(CudaFiles& files) : files_(files) {}

  void add(const std::string& folder) {
    const std::string identity = files_.identity(folder);
    if (identity.empty() || !seen_.insert(identity).second) {
      return;
    }
    for (const HeaderKind& kind : kHeaders) {
      const std::string path = files_.join(folder, kind.name);
      if (headers_.size() >= kMostHeaders || !files_.is_file(path)) {
        continue;
      }
      const auto text = files_.start(path, kLongestHeader);
      if (!text) {
        headers_.push_back({kind.family, path, Fact<std::string>::unreadable(text.error(), path)});
      } else if (auto version = three_part_version(*text, kind.major, kind.minor, kind.last)) {
        headers_.push_back(
            {kind.family, path, Fact<std::string>::present(std::move(*version), path)});
      }
    }
  }

  [[nodiscard]] std::vector<LibraryHeader> take() { return std::move(headers_); }

 private:
  CudaFiles& files_;
  std::set<std::string> seen_;
  std::vector<LibraryHeader> headers_;
};

/// "libcudnn_ops.so.9.1.0" and "cudnn_ops64_9.dll" -> 9; empty for "libcudnn.so".
std::optional<std::uint32_t> major_of(std::string_view name, bool windows) {
  std::size_t at = windows ? name.rfind("64_") : name.find(".so.");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  at += windows ? 3 : 4;
  const std::size_t end = std::min(name.find_first_not_of("0123456789", at), name.size());
  const auto number = parse_decimal(name.substr(at, end - at));
  return number && *number < 100 ? std::optional(static_cast<std::uint32_t>(*number))
                                 : std::nullopt;
}

std::vector<std::string> complete_set(std::uint32_t major) {
  if (major == 8) {
    return {"cudnn",           "cudnn_adv_infer", "cudnn_adv_train", "cudnn_cnn_infer",
            "cudnn_cnn_train", "cudnn_ops_infer", "cudnn_ops_train"};
  }
  if (major == 9) {
    return {"cudnn",
            "cudnn_adv",
            "cudnn_cnn",
            "cudnn_engines_precompiled",
            "cudnn_engines_runtime_compiled",
            "cudnn_graph",
            "cudnn_heuristic",
            "cudnn_ops"};
  }
  return {"cudnn"};  // one library up to 7; later ones are not known
}

/// Three numbers: headers and code have no fourth. "" for what is no version.
std::string three_numbers(std::string_view text) {
  const auto version = Version::parse(text);
  return version ? std::to_string(version->major()) + "." + std::to_string(version->minor()) + "." +
                       std::to_string(version->part(2))
                 : std::string{};
}

void conclude(CudaFiles& files, CudnnSet& set, const std::vector<LibraryHeader>& headers) {
  std::ranges::stable_sort(set.parts, {}, &CudnnPart::name);
  for (const std::string& name : complete_set(set.major)) {
    if (std::ranges::find(set.parts, name, &CudnnPart::name) == set.parts.end()) {
      set.missing.push_back(name);
    }
  }
  for (const CudnnPart& part : set.parts) {  // "cudnn" is the first of them
    const std::string version = three_numbers(part.version.value.value_or(""));
    if (version.empty()) {
      continue;
    }
    if (set.version.empty()) {
      set.version = version;
    }
    set.agree = set.agree && version == set.version;
  }
  std::vector<std::string> places;
  for (const std::string& folder : include_folders_near(files, set.folder)) {
    places.push_back(files.identity(folder));
  }
  set.header = Fact<std::string>::absent(set.folder);
  std::size_t best = places.size();
  for (const LibraryHeader& header : headers) {
    if (header.family != HeaderFamily::cudnn || !header.version) {
      continue;
    }
    const std::string place = files.identity(files.parent(header.path));
    const auto rank =
        static_cast<std::size_t>(std::distance(places.begin(), std::ranges::find(places, place)));
    if (rank < best) {
      best = rank;
      set.header = header.version;
    }
  }
  set.header_agrees =
      !set.header || set.version.empty() || three_numbers(*set.header.value) == set.version;
}

}  // namespace

std::vector<LibraryHeader> find_library_headers(CudaFiles& files,
                                                const std::vector<CudaToolkit>& toolkits,
                                                const std::vector<CudaLibraryCopy>& copies) {
  HeaderFinder finder(files);
  for (const CudaToolkit& toolkit : toolkits) {
    for (const std::string& folder : toolkit.include_folders) {
      finder.add(folder);
    }
  }
  std::set<std::string> folders;
  for (const CudaLibraryCopy& copy : copies) {
    if (copy.family.starts_with("cudnn") || copy.family == "nccl" || copy.family == "nvinfer") {
      for (const LibrarySighting& sighting : copy.sightings) {
        folders.insert(files.parent(sighting.path));
      }
      folders.insert(files.parent(copy.path));
    }
  }
  for (const std::string& folder : folders) {
    for (const std::string& include : include_folders_near(files, folder)) {
      finder.add(include);
    }
  }
  if (!files.windows()) {
    finder.add("/usr/include/" + files.host().machine + "-linux-gnu");
    finder.add("/usr/include");
    finder.add("/usr/local/include");
  }
  return finder.take();
}

std::vector<CudnnSet> find_cudnn_sets(CudaFiles& files, const std::vector<CudaLibraryCopy>& copies,
                                      const std::vector<LibraryHeader>& headers) {
  std::vector<CudnnSet> sets;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> known;  // folder, major
  for (const CudaLibraryCopy& copy : copies) {
    const bool cudnn = copy.family == "cudnn" || copy.family.starts_with("cudnn_");
    if (!cudnn || copy.stub) {
      continue;
    }
    for (const LibrarySighting& sighting : copy.sightings) {
      const auto major = major_of(base_name(sighting.path), files.windows());
      if (!major) {
        continue;
      }
      const std::string folder = files.parent(sighting.path);
      const auto [entry, is_new] =
          known.emplace(std::pair(files.identity(folder), *major), sets.size());
      if (is_new) {
        CudnnSet set;
        set.folder = folder;
        set.origin = enum_names(sighting.place)[static_cast<std::size_t>(sighting.place)];
        set.major = *major;
        sets.push_back(std::move(set));
      }
      auto& parts = sets[entry->second].parts;
      // libcudnn_ops.so.9 and libcudnn_ops.so.9.14.0 are one part, and two files of one part (a
      // half-finished upgrade) are two.
      const bool listed = std::ranges::any_of(parts, [&](const CudnnPart& part) {
        return part.name == copy.family && files.identity(part.path) == files.identity(copy.path);
      });
      if (!listed) {
        parts.push_back({copy.family, sighting.path, copy.version});
      }
    }
  }
  for (CudnnSet& set : sets) {
    conclude(files, set, headers);
  }
  return sets;
}

}  // namespace plumb

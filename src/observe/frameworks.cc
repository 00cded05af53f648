// SPDX-License-Identifier: Apache-2.0
#include "observe/frameworks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "binary/binary_reader.h"
#include "binary/nvidia_names.h"
#include "binary/wheel.h"
#include "observe/host.h"
#include "observe/package_files.h"
#include "observe/version_files.h"
#include "os/file.h"
#include "os/parallel.h"

namespace plumb {
namespace {

using NoteParser = BuildNote (*)(std::string_view);

/// Packages that make one framework together, or that fill one folder instead of each other.
struct Family {
  std::string_view name;
  std::array<std::string_view, 8> packages;  // '*' at the end: any ending
  std::string_view folder;                   // what `import` takes
  std::string_view version_file;
  NoteParser parse;
};

constexpr std::array<Family, 8> kFamilies = {{
    {"torch", {"torch"}, "torch", "torch/version.py", parse_torch_version},
    {"tensorflow",
     {"tensorflow", "tensorflow-gpu", "tensorflow-intel", "tensorflow-cpu", "tf-nightly*"},
     "tensorflow",
     "tensorflow/python/platform/build_info.py",
     parse_tensorflow_build_info},
    {"paddle",
     {"paddlepaddle", "paddlepaddle-gpu"},
     "paddle",
     "paddle/version/__init__.py",
     parse_paddle_version},
    {"onnxruntime",
     {"onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino",
      "onnxruntime-rocm", "onnxruntime-qnn", "onnxruntime-training"},
     "onnxruntime",
     "onnxruntime/capi/build_and_package_info.py",
     parse_onnxruntime_info},
    {"jax", {"jax", "jaxlib", "jax-cuda*"}, "jaxlib", "", nullptr},
    {"mxnet", {"mxnet", "mxnet-cu*"}, "mxnet", "", nullptr},
    {"cupy", {"cupy", "cupy-cuda*"}, "cupy", "", nullptr},
    {"ctranslate2", {"ctranslate2"}, "ctranslate2", "", nullptr},
}};

/// NVIDIA's own wheels are what frameworks use, not frameworks.
constexpr std::array<std::string_view, 4> kNotFrameworks = {"nvidia-", "cuda-", "pynvml",
                                                            "numba-cuda"};

bool matches(std::string_view normalized, std::string_view pattern) {
  return pattern.ends_with('*') ? normalized.starts_with(pattern.substr(0, pattern.size() - 1))
                                : !pattern.empty() && normalized == pattern;
}

const Family* family_of(std::string_view normalized) {
  const auto hit = std::ranges::find_if(kFamilies, [normalized](const Family& family) {
    return std::ranges::any_of(family.packages, [normalized](std::string_view pattern) {
      return matches(normalized, pattern);
    });
  });
  return hit == kFamilies.end() ? nullptr : hit;
}

/// The family that a line of Requires-Dist names for everyone; null if none.
const Family* required_family(const std::string& line) {
  return line.find("extra ==") == std::string::npos
             ? family_of(normalize_project_name(line.substr(0, line.find_first_of(" ;<>=!~[("))))
             : nullptr;
}

struct Candidate {
  FrameworkFacts facts;
  const Family* family = nullptr;
  std::vector<const Distribution*> distributions;
};

std::vector<Candidate> group(const std::vector<Distribution>& distributions) {
  std::vector<Candidate> candidates;
  for (const Distribution& distribution : distributions) {
    const Family* family = family_of(distribution.normalized);
    const bool skipped =
        std::ranges::any_of(kNotFrameworks, [&distribution](std::string_view prefix) {
          return distribution.normalized.starts_with(prefix);
        });
    const bool is_extension = distribution.gpu_project ||
                              std::ranges::any_of(distribution.requires_dist, required_family);
    if (family == nullptr && (!is_extension || skipped)) {
      continue;
    }
    const std::string name(family != nullptr ? family->name : distribution.normalized);
    auto place = std::ranges::find_if(
        candidates, [&name](const Candidate& candidate) { return candidate.facts.name == name; });
    if (place == candidates.end()) {
      candidates.emplace_back();
      place = std::prev(candidates.end());
      place->facts.name = name;
      place->facts.is_framework = family != nullptr;
      place->family = family;
    }
    place->distributions.push_back(&distribution);
  }
  return candidates;
}

/// Which of the packages speaks for all: the one whose name promises a GPU, else the framework's.
const Distribution& leading(const Candidate& candidate) {
  const auto rank = [&candidate](const Distribution* distribution) {
    const std::string& name = distribution->normalized;
    if (name == "jax") {
      return 0;
    }
    if (name.ends_with("-gpu") || name.find("-cu") != std::string::npos) {
      return 1;
    }
    return name == candidate.family->packages.front() ? 2 : 3;
  };
  return candidate.family == nullptr
             ? *candidate.distributions.front()
             : **std::ranges::min_element(candidate.distributions, {}, rank);
}

void read_build_note(Candidate& candidate) {
  FrameworkFacts& facts = candidate.facts;
  for (const Distribution* distribution : candidate.distributions) {
    if (const auto cuda = cuda_of_package_name(distribution->normalized)) {
      facts.cuda = Fact<std::string>::present(*cuda, distribution->info);
    }
  }
  if (candidate.family == nullptr || candidate.family->parse == nullptr) {
    return;
  }
  const std::string shown(candidate.family->version_file);
  const auto text = read_text_start(join_path(facts.site, shown), 256 << 10);
  if (!text) {
    if (text.error().code != ErrorCode::not_found) {
      facts.cuda = Fact<std::string>::unreadable(text.error(), shown);
    }
    return;
  }
  const BuildNote note = candidate.family->parse(*text);
  if (!note.version.empty()) {
    facts.version = note.version;
  }
  facts.other_gpu = note.other_gpu;
  if (note.says_cuda) {
    facts.cuda = note.cuda ? Fact<std::string>::present(*note.cuda, shown)
                           : Fact<std::string>::absent(shown);
  }
  if (note.cudnn) {
    facts.cudnn = Fact<std::string>::present(*note.cudnn, shown);
  }
}

/// What the packages and the version file say.
void describe(Candidate& candidate) {
  const Distribution& leader = leading(candidate);
  candidate.facts.package = leader.name;
  candidate.facts.version = leader.version;
  candidate.facts.site = leader.site;
  for (const Distribution* distribution : candidate.distributions) {
    candidate.facts.packages.push_back(distribution->name + " " + distribution->version);
  }
  read_build_note(candidate);
}

struct Job {
  std::size_t candidate = 0;
  OwnedLibrary library;
  std::string file;
  std::optional<BinaryFacts> facts;
  std::vector<Error> faults;
};

/// The libraries to open. Also notes which packages own the same files.
void collect_jobs(Candidate& candidate, std::size_t index, std::vector<Job>& jobs) {
  std::map<std::string, const Distribution*> owners;
  std::set<const Distribution*> overlapping;
  for (const Distribution* distribution : candidate.distributions) {
    std::vector<std::string> folders;
    if (candidate.family != nullptr) {
      folders.emplace_back(candidate.family->folder);
    } else {
      folders.push_back(distribution->normalized);
      std::ranges::replace(folders.back(), '-', '_');
    }
    for (OwnedLibrary& library : owned_libraries(*distribution, folders)) {
      const auto [owner, is_new] =
          owners.emplace(distribution->site + '\n' + library.path, distribution);
      if (!is_new) {
        if (owner->second != distribution) {
          overlapping.insert(owner->second);
          overlapping.insert(distribution);
        }
        continue;
      }
      ++candidate.facts.libraries_seen;
      if (!is_nvidia_library(library.path)) {
        std::string file = join_path(distribution->site, library.path);
        jobs.push_back({index, std::move(library), std::move(file), {}, {}});
      }
    }
  }
  for (const Distribution* distribution : candidate.distributions) {
    if (overlapping.contains(distribution)) {
      candidate.facts.overlapping.push_back(distribution->name + " " + distribution->version);
    }
  }
}

bool has_to_do_with_cuda(const BinaryFacts& facts) {
  return !facts.gpu.none() || std::ranges::any_of(facts.needs, is_cuda_library) ||
         std::ranges::any_of(facts.delay_needs, is_cuda_library);
}

void run_job(Job& job) {
  const auto file = open_file(job.file);
  if (!file) {
    if (file.error().code != ErrorCode::not_found) {  // RECORD may name what was taken away
      job.faults.push_back(Error(file.error()).in(job.file));
    }
    return;
  }
  auto read = read_binary(**file, {});
  if (!read) {
    if (read.error().code != ErrorCode::not_binary) {
      job.faults.push_back(Error(read.error()).in(job.file));
    }
    return;
  }
  for (Error& fault : read->faults) {
    job.faults.push_back(std::move(fault).in(job.file));
  }
  if (has_to_do_with_cuda(read->facts)) {
    read->facts.path = job.library.path;
    job.facts = std::move(read->facts);
  }
}

}  // namespace

std::vector<FrameworkFacts> list_frameworks(const std::vector<Distribution>& distributions) {
  std::vector<FrameworkFacts> frameworks;
  for (const bool wanted : {true, false}) {
    for (Candidate& candidate : group(distributions)) {
      if (candidate.facts.is_framework == wanted) {
        describe(candidate);
        frameworks.push_back(std::move(candidate.facts));
      }
    }
  }
  return frameworks;
}

FrameworkFacts extension_of(const Distribution& distribution) {
  FrameworkFacts facts;
  facts.name = distribution.normalized;
  facts.package = distribution.name;
  facts.version = distribution.version;
  facts.site = distribution.site;
  facts.packages = {distribution.name + " " + distribution.version};
  return facts;
}

std::vector<std::string> libraries_of_framework(const FrameworkFacts& facts,
                                                const std::vector<Distribution>& distributions) {
  std::vector<std::string> paths;
  const auto add = [&paths](Candidate& candidate) {
    std::vector<Job> jobs;
    collect_jobs(candidate, 0, jobs);
    std::ranges::transform(jobs, std::back_inserter(paths), &Job::file);
  };
  bool is_known = false;
  for (Candidate& candidate : group(distributions)) {
    if (candidate.facts.name == facts.name) {
      is_known = true;
      add(candidate);
    }
  }
  const auto own = std::ranges::find(distributions, facts.name, &Distribution::normalized);
  if (!is_known && own != distributions.end()) {
    Candidate candidate{facts, nullptr, {&*own}};
    add(candidate);
  }
  return paths;
}

std::vector<const FrameworkFacts*> required_frameworks(
    const FrameworkFacts& extension, const std::vector<FrameworkFacts>& frameworks,
    const std::vector<Distribution>& distributions) {
  std::vector<const FrameworkFacts*> required;
  const auto own = std::ranges::find(distributions, extension.package, &Distribution::name);
  if (own == distributions.end()) {
    return required;
  }
  for (const std::string& line : own->requires_dist) {
    const Family* family = required_family(line);
    const auto hit = std::ranges::find_if(frameworks, [&](const FrameworkFacts& framework) {
      return family != nullptr && framework.name == family->name;
    });
    if (hit != frameworks.end() && std::ranges::find(required, &*hit) == required.end()) {
      required.push_back(&*hit);
    }
  }
  return required;
}

std::vector<const FrameworkFacts*> frameworks_of_libraries(
    const std::vector<std::string>& names, const std::vector<FrameworkFacts>& frameworks) {
  std::vector<const FrameworkFacts*> found;
  for (const FrameworkFacts& framework : frameworks) {
    const std::string folder = join_path(framework.site, framework.name);
    const bool has_one = std::ranges::any_of(names, [&](const std::string& name) {
      return is_library_name(name) && (is_file(join_path(join_path(folder, "lib"), name)) ||
                                       is_file(join_path(join_path(folder, "libs"), name)) ||
                                       is_file(join_path(folder, name)));
    });
    if (framework.is_framework && has_one) {
      found.push_back(&framework);
    }
  }
  return found;
}

std::vector<FrameworkFacts> observe_frameworks(const std::vector<Distribution>& distributions,
                                               std::vector<Error>& errors) {
  std::vector<Candidate> candidates = group(distributions);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    describe(candidate);
    collect_jobs(candidate, i, jobs);
  }
  // The largest first, so that none is left over at the end.
  std::ranges::stable_sort(jobs, std::ranges::greater{},
                           [](const Job& job) { return job.library.size; });
  parallel_for(jobs.size(), [&jobs](std::size_t i) { run_job(jobs[i]); });
  for (Job& job : jobs) {
    FrameworkFacts& framework = candidates[job.candidate].facts;
    framework.libraries_unreadable += job.faults.empty() ? 0 : 1;
    std::ranges::move(job.faults, std::back_inserter(errors));
    if (job.facts) {
      framework.libraries.push_back(*std::move(job.facts));
    }
  }
  std::vector<FrameworkFacts> frameworks;
  for (const bool wanted : {true, false}) {
    for (Candidate& candidate : candidates) {
      if (candidate.facts.is_framework != wanted ||
          (!wanted && candidate.facts.libraries_seen == 0)) {
        continue;
      }
      frameworks.push_back(std::move(candidate.facts));
    }
  }
  return frameworks;
}

}  // namespace plumb

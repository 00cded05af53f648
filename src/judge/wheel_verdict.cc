// SPDX-License-Identifier: Apache-2.0
// One verdict for a wheel: that of its main library, with the others that are worse off named.

#include <algorithm>
#include <map>
#include <tuple>

#include "binary/nvidia_names.h"
#include "judge/image_choice.h"
#include "judge/verdict.h"

namespace plumb {
namespace {

struct Library {
  const BinaryFacts* facts = nullptr;
  std::size_t general = 0;  // general containers
  Verdict verdict;
};

/// "libx_cuda126.so" -> "libx_cuda.so": builds of one library for several CUDA versions.
std::string without_cuda_version(const std::string& path) {
  std::string result = path;
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t at = path.find("cuda", name);
  if (at != std::string::npos) {
    constexpr std::size_t kWord = 4;
    const std::size_t digits = at + kWord;
    const std::size_t end = std::min(path.find_first_not_of("0123456789", digits), path.size());
    result.erase(digits, end - digits);
  }
  return result;
}

/// Libraries that are worse than the main one, if that one is served.
bool is_worse(VerdictResult other, VerdictResult main) {
  return main != VerdictResult::none && other > main &&
         (other == VerdictResult::none || other == VerdictResult::partial);
}

bool is_better(const Library& a, const Library& b) {
  if (a.verdict.result != b.verdict.result) {
    return a.verdict.result < b.verdict.result;
  }
  return std::tuple(a.general, a.facts->path) > std::tuple(b.general, b.facts->path);
}

/// cuDNN's other libraries keep leftovers of cards that it has dropped; cudnn_ops does not.
bool is_cudnn_ops(const Library& library) {
  return library_stem(library.facts->path) == "cudnn_ops" ||
         library_stem(library.facts->path) == "cudnn_ops_infer";
}

std::vector<Library> judged(const std::vector<const BinaryFacts*>& members, bool nvidia,
                            const Card& card, const Catalog& catalog) {
  std::map<std::string, Library> best;
  for (const BinaryFacts* facts : members) {
    const std::size_t general = count_general(facts->gpu);
    if (is_nvidia_redistributable(*facts) != nvidia || general == 0) {
      continue;  // general == 0: no code but link stubs
    }
    Library library{facts, general, judge_gpu_code(facts->gpu, card, catalog, nvidia)};
    const auto [known, is_new] = best.emplace(without_cuda_version(facts->path), library);
    if (!is_new && is_better(library, known->second)) {
      known->second = std::move(library);
    }
  }
  std::vector<Library> result;
  for (auto& [name, library] : best) {
    result.push_back(std::move(library));
  }
  return result;
}

}  // namespace

bool is_nvidia_redistributable(const BinaryFacts& facts) {
  return (facts.name && is_nvidia_library(*facts.name)) || is_nvidia_library(facts.path);
}

std::optional<WheelVerdict> judge_wheel(const std::vector<const BinaryFacts*>& members,
                                        const Card& card, const Catalog& catalog) {
  std::vector<Library> libraries = judged(members, false, card, catalog);
  const bool nvidia = libraries.empty();
  if (nvidia) {
    libraries = judged(members, true, card, catalog);
  }
  if (libraries.empty()) {
    return std::nullopt;
  }
  const auto weight = [nvidia](const Library& library) {
    const std::size_t containers = library.facts->gpu.containers.size();
    return std::tuple(nvidia && is_cudnn_ops(library), nvidia ? containers : library.general,
                      containers);
  };
  const auto main = std::ranges::max_element(libraries, {}, weight);
  WheelVerdict result{main->verdict, main->facts->path, {}};
  result.verdict.library = result.main_library;
  for (const Library& library : libraries) {
    if (!nvidia && is_worse(library.verdict.result, main->verdict.result)) {
      result.unserved.push_back(library.facts->path);
    }
  }
  std::ranges::sort(result.unserved);
  if (!result.unserved.empty() && result.verdict.result != VerdictResult::partial) {
    result.verdict.result = VerdictResult::partial;
    result.verdict.rule = "partial.other_library";
  }
  return result;
}

}  // namespace plumb

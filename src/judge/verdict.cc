// SPDX-License-Identifier: Apache-2.0
// From containers to one verdict.
//
// A container is one compiled source file. For each, the image that the driver would take is
// chosen (image_choice.h); if that image has no kernel, the container asks nothing of the card and
// is set aside: nvcc's link stubs, sources compiled out by __CUDA_ARCH__. What is left is served
// by SASS, by PTX or not at all.
//
// Not all of them count. A library made for many generations also holds sources for one of them
// alone (sm_90a GEMMs), which are asked for on that generation only; a card that lacks them lacks
// nothing. So let g be the largest number of different majors in one container: *general*
// containers hold at least half of g, and they decide. PTX counts as a major of its own target,
// or a library of PTX alone would have no general container. On the wheels measured (torch 2.14,
// onnxruntime-gpu 1.31, tensorflow 2.10, paddlepaddle-gpu 2.6, xformers, ctranslate2) counting
// PTX or not gives the same general containers.
//
// A file of relocatable code (nvcc -rdc=true) keeps its units beside the container that the device
// link made of them, and where that one has nothing for the card, the driver links the units
// itself (seen on an H200). So the units decide, and their link does not.

#include "judge/verdict.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "judge/image_choice.h"

namespace plumb {
namespace {

constexpr std::string_view kRelocatable = "__nv_rel";  // "__nv_relfatbin"; PE cuts names

bool is_relocatable(const GpuCode& code, const GpuContainer& container) {
  return container.place < code.places.size() &&
         code.places[container.place].starts_with(kRelocatable);
}

std::vector<Target> sass_targets(std::span<const GpuImage> images) {
  std::vector<Target> targets;
  for (const GpuImage& image : images) {
    if (image.kind == ImageKind::cubin) {
      targets.push_back(image.target);
    }
  }
  std::ranges::sort(targets);
  return targets;
}

/// The container that the device link made of the relocatable units: the only other one whose SASS
/// targets the units have, too. Null where there are none or several: then all are sources that
/// count like any.
const GpuContainer* find_device_link(const GpuCode& code) {
  std::vector<Target> units;
  for (const GpuContainer& container : code.containers) {
    const auto images = images_of(code, container);
    if (is_relocatable(code, container) && count_majors(images) > 0) {
      const auto targets = sass_targets(images);
      units.insert(units.end(), targets.begin(), targets.end());
    }
  }
  std::ranges::sort(units);
  const auto repeated = std::ranges::unique(units);
  units.erase(repeated.begin(), repeated.end());
  const GpuContainer* link = nullptr;
  for (const GpuContainer& container : code.containers) {
    const auto targets = sass_targets(images_of(code, container));
    if (is_relocatable(code, container) || targets.empty() ||
        !std::ranges::includes(units, targets)) {
      continue;
    }
    if (link != nullptr) {
      return nullptr;
    }
    link = &container;
  }
  return link;
}

struct Served {
  std::vector<const GpuImage*> images;  // of the containers that decide, in file order
  bool has_lto = false;
  bool has_code = false;  // SASS or PTX with a kernel, for whatever card
};

VerdictResult result_of(const ContainerCounts& counts) {
  if (counts.native + counts.jit == 0) {
    return VerdictResult::none;
  }
  if (counts.none > 0) {
    return VerdictResult::partial;
  }
  return counts.jit > 0 ? VerdictResult::jit : VerdictResult::native;
}

std::string_view native_rule(const GpuImage& image, ComputeCapability card) {
  switch (image.target.suffix) {
    case 'a':
      return "sass.arch_specific";
    case 'f':
      return "sass.family";
    default:
      return capability_of(image.target) == card ? "sass.same" : "sass.same_major";
  }
}

/// The rule that serves most containers; of equals, the first in this order.
std::string_view commonest_rule(const Served& served, ComputeCapability card) {
  constexpr std::array<std::string_view, 4> kRules = {"sass.same", "sass.same_major",
                                                      "sass.arch_specific", "sass.family"};
  std::array<std::size_t, kRules.size()> counts{};
  for (const GpuImage* image : served.images) {
    const auto rule = std::ranges::find(kRules, native_rule(*image, card));
    ++counts[static_cast<std::size_t>(rule - kRules.begin())];
  }
  const auto most = std::ranges::max_element(counts);
  return kRules[static_cast<std::size_t>(most - counts.begin())];
}

std::vector<std::string> targets_of(const Served& served) {
  std::vector<std::pair<ImageKind, Target>> targets;
  for (const GpuImage* image : served.images) {
    targets.emplace_back(image->kind, image->target);
  }
  std::ranges::sort(targets, [](const auto& a, const auto& b) {
    const bool a_sass = a.first == ImageKind::cubin;
    const bool b_sass = b.first == ImageKind::cubin;
    return a_sass != b_sass ? a_sass : a.second < b.second;
  });
  const auto repeated = std::ranges::unique(targets);
  targets.erase(repeated.begin(), repeated.end());
  std::vector<std::string> names;
  for (const auto& [kind, target] : targets) {
    names.push_back(target_name(kind, target));
  }
  return names;
}

/// The newest CUDA that any of the PTX asks for, or that first knew the card.
void set_jit_driver(Verdict& verdict, const Served& served, const Catalog& catalog) {
  std::optional<Version> newest;
  const auto take = [&newest](std::string_view cuda) {
    const auto version = Version::parse(cuda);
    if (version && (!newest || *version > *newest)) {
      newest = version;
    }
  };
  for (const GpuImage* image : served.images) {
    if (image->kind == ImageKind::ptx) {
      take(catalog.least_cuda_for_ptx_isa(image->isa_major, image->isa_minor));
    }
  }
  if (!newest) {
    return;
  }
  if (const Architecture* architecture = catalog.find_architecture(verdict.card.cc)) {
    take(architecture->first_cuda);
  }
  if (const CudaDrivers* row = catalog.find_cuda(newest->text())) {
    verdict.driver_linux = row->full_linux;
    verdict.driver_windows = row->full_windows;
  }
}

std::string_view rule_of(const Verdict& verdict, const Served& served, bool self_dispatching) {
  switch (verdict.result) {
    case VerdictResult::native:
      return self_dispatching ? "self_dispatching" : commonest_rule(served, verdict.card.cc);
    case VerdictResult::jit:
      return self_dispatching ? "self_dispatching" : "ptx.jit";
    case VerdictResult::partial:
      return "partial";
    case VerdictResult::none:
      break;
  }
  if (!served.has_code) {
    return served.has_lto      ? "none.only_lto"
           : verdict.empty > 0 ? "none.only_empty"
                               : "none.no_code";
  }
  const bool only_empty = verdict.listed.native + verdict.listed.jit > 0;
  return only_empty ? "none.only_empty" : "none.no_target";
}

void count(ContainerCounts& counts, const ImageChoice& choice) {
  if (choice.image == nullptr) {
    ++counts.none;
  } else if (choice.image->kind == ImageKind::cubin) {
    ++counts.native;
  } else {
    ++counts.jit;
  }
}

void count_listed(ContainerCounts& counts, const ImageChoice& choice) {
  ++(choice.listed_sass ? counts.native : choice.listed_ptx ? counts.jit : counts.none);
}

}  // namespace

std::string_view verdict_name(VerdictResult result) {
  switch (result) {
    case VerdictResult::native:
      return "native";
    case VerdictResult::jit:
      return "jit";
    case VerdictResult::partial:
      return "partial";
    case VerdictResult::none:
      break;
  }
  return "none";
}

Verdict judge_gpu_code(const GpuCode& code, const Card& card, const Catalog& catalog,
                       bool self_dispatching) {
  Verdict verdict;
  verdict.card = card;
  Served served;
  const std::size_t threshold = general_threshold(code);
  const GpuContainer* device_link = find_device_link(code);
  for (const GpuContainer& container : code.containers) {
    const auto images = images_of(code, container);
    ImageChoice choice = choose_image(images, card.cc, catalog);
    count_listed(verdict.listed, choice);
    const std::size_t majors = count_majors(images);
    served.has_code = served.has_code || majors > 0;
    const bool has_lto = std::ranges::any_of(
        images, [](const GpuImage& image) { return image.kind == ImageKind::lto; });
    served.has_lto = served.has_lto || has_lto;
    if (self_dispatching && choice.image != nullptr) {
      choice.image = choice.any_sass != nullptr ? choice.any_sass : choice.any_ptx;
    }
    const bool empty_here =
        choice.image == nullptr ? choice.listed_sass || choice.listed_ptx : choice.image->empty;
    if (empty_here || (majors == 0 && !has_lto)) {
      ++verdict.empty;
      continue;
    }
    count(verdict.counts, choice);
    const bool decides = majors >= threshold && &container != device_link;
    if (self_dispatching || decides) {
      count(verdict.general, choice);
      if (choice.image != nullptr) {
        served.images.push_back(choice.image);
      }
    }
  }
  verdict.result = result_of(verdict.general);
  if (self_dispatching && verdict.general.native > 0) {
    verdict.result = VerdictResult::native;
  } else if (self_dispatching && verdict.general.jit > 0) {
    verdict.result = VerdictResult::jit;
  }
  verdict.by = targets_of(served);
  verdict.rule = rule_of(verdict, served, self_dispatching);
  if (verdict.result != VerdictResult::native) {
    set_jit_driver(verdict, served, catalog);
  }
  return verdict;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "judge/image_choice.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace plumb {
namespace {

constexpr std::uint16_t kMinors = 10;  // sm_103 is 10.3

int suffix_rank(char suffix) {
  return suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0;
}

/// True if the driver takes `a` before `b`; both usable and of one kind. Two images of one target
/// are not seen in practice: the one with code, then the older PTX, so that order does not matter.
bool is_preferred(const GpuImage& a, const GpuImage& b) {
  const auto key = [](const GpuImage& image) {
    return std::tuple(-int{image.target.sm}, -suffix_rank(image.target.suffix), image.empty,
                      image.isa_major, image.isa_minor);
  };
  return key(a) < key(b);
}

void keep_preferred(const GpuImage*& best, const GpuImage& image) {
  if (best == nullptr || is_preferred(image, *best)) {
    best = &image;
  }
}

bool has_code(const GpuImage& image) {
  return !image.empty && (image.kind == ImageKind::cubin || image.kind == ImageKind::ptx);
}

}  // namespace

ComputeCapability capability_of(Target target) {
  return {static_cast<std::uint16_t>(target.sm / kMinors),
          static_cast<std::uint16_t>(target.sm % kMinors)};
}

bool is_usable(const GpuImage& image, ComputeCapability card, const Catalog& catalog) {
  if (image.kind != ImageKind::cubin && image.kind != ImageKind::ptx) {
    return false;
  }
  const ComputeCapability built = capability_of(image.target);
  switch (image.target.suffix) {
    case 'a':
      return built == card;
    case 'f': {
      const auto family = catalog.family_of(built);
      return std::ranges::find(family, card) != family.end();
    }
    case 0:
      return image.kind == ImageKind::cubin ? catalog.sass_runs_on(built, card) : built <= card;
    default:
      return false;
  }
}

ImageChoice choose_image(std::span<const GpuImage> images, ComputeCapability card,
                         const Catalog& catalog) {
  ImageChoice choice;
  const GpuImage* sass = nullptr;
  const GpuImage* ptx = nullptr;
  for (const GpuImage& image : images) {
    if (!is_usable(image, card, catalog)) {
      continue;
    }
    const bool is_sass = image.kind == ImageKind::cubin;
    keep_preferred(is_sass ? sass : ptx, image);
    if (!image.empty) {
      keep_preferred(is_sass ? choice.any_sass : choice.any_ptx, image);
    }
  }
  choice.listed_sass = sass != nullptr;
  choice.listed_ptx = ptx != nullptr;
  choice.image = sass != nullptr ? sass : ptx;
  return choice;
}

std::span<const GpuImage> images_of(const GpuCode& code, const GpuContainer& container) {
  const std::size_t first = container.first_image;
  const std::size_t count = container.image_count;
  if (first > code.images.size() || count > code.images.size() - first) {
    return {};
  }
  return std::span(code.images).subspan(first, count);
}

std::size_t count_majors(std::span<const GpuImage> images) {
  std::vector<std::uint16_t> majors;
  for (const GpuImage& image : images) {
    if (has_code(image)) {
      majors.push_back(capability_of(image.target).major);
    }
  }
  std::ranges::sort(majors);
  const auto repeated = std::ranges::unique(majors);
  return majors.size() - repeated.size();
}

std::size_t general_threshold(const GpuCode& code) {
  std::size_t most = 1;
  for (const GpuContainer& container : code.containers) {
    most = std::max(most, count_majors(images_of(code, container)));
  }
  return (most + 1) / 2;
}

std::size_t count_general(const GpuCode& code) {
  const std::size_t threshold = general_threshold(code);
  return static_cast<std::size_t>(
      std::ranges::count_if(code.containers, [&](const GpuContainer& container) {
        return count_majors(images_of(code, container)) >= threshold;
      }));
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "report/gpu_targets.h"

#include <algorithm>

namespace plumb {

GpuTargets sum_up(const GpuCode& code) {
  GpuTargets targets;
  for (const GpuImage& image : code.images) {
    if (image.kind == ImageKind::other) {
      continue;
    }
    auto& table = image.kind == ImageKind::cubin ? targets.sass
                  : image.kind == ImageKind::ptx ? targets.ptx
                                                 : targets.lto;
    TargetCount& count = table[image.target];
    ++count.images;
    count.empty += image.empty ? 1 : 0;
    if (image.kind == ImageKind::ptx) {
      count.isas.insert({image.isa_major, image.isa_minor});
    }
  }
  for (const GpuContainer& container : code.containers) {
    const std::string& name = code.places.at(container.place);
    const auto place = std::ranges::find(targets.places, name, &PlaceCount::name);
    if (place == targets.places.end()) {
      targets.places.push_back({name, 1, container.offset});
    } else {
      ++place->containers;
    }
  }
  return targets;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "binary/gpu_code.h"

#include <algorithm>

namespace plumb {

bool GpuCode::has_kernels() const {
  return std::ranges::any_of(images, [](const GpuImage& image) { return !image.empty; });
}

std::string target_name(ImageKind kind, Target target) {
  std::string name = "unknown_";
  switch (kind) {
    case ImageKind::ptx:
      name = "compute_";
      break;
    case ImageKind::cubin:
      name = "sm_";
      break;
    case ImageKind::lto:
      name = "lto_";
      break;
    case ImageKind::other:
      break;
  }
  name += std::to_string(target.sm);
  if (target.suffix != 0) {
    name += target.suffix;
  }
  return name;
}

}  // namespace plumb

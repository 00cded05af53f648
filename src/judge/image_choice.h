// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which image of one container a driver takes for a card.
//
// The running rules are NVIDIA's, held against an H200 with containers made for the purpose:
// SASS sm_XY runs where the catalog says so (same major, minor not lower, Tegra apart); an `a`
// target on exactly its capability; an `f` target in its family. PTX compute_XY is compiled for
// any capability from X.Y on, with `a` and `f` as above. LTO code is for a linker and no driver
// loads it. SASS is preferred to PTX, the higher target to the lower one, sm_90a to sm_90 - also
// where the preferred image is empty, so that the kernels are missing although another image has
// them, and where the preferred PTX has an ISA that the driver does not know (error 222), although
// older PTX lies beside it. Error 222 also comes where unusable SASS lies beside such PTX.
// Not measured, for want of a card: an `f` target beside a plain one; `f` is taken first here.

#include <cstdint>
#include <span>

#include "binary/gpu_code.h"
#include "catalog/catalog.h"

namespace plumb {

struct ImageChoice {
  const GpuImage* image = nullptr;  // null: nothing for this card
  bool listed_sass = false;         // by the targets alone, empty images included
  bool listed_ptx = false;
  const GpuImage* any_sass = nullptr;  // best usable SASS with a kernel in it
  const GpuImage* any_ptx = nullptr;   // the same for PTX
};

[[nodiscard]] ComputeCapability capability_of(Target target);

/// True if a driver would take this image for `card`, empty or not.
[[nodiscard]] bool is_usable(const GpuImage& image, ComputeCapability card, const Catalog& catalog);

[[nodiscard]] ImageChoice choose_image(std::span<const GpuImage> images, ComputeCapability card,
                                       const Catalog& catalog);

/// The container's images; empty for a container that does not fit `code`.
[[nodiscard]] std::span<const GpuImage> images_of(const GpuCode& code,
                                                  const GpuContainer& container);

/// How many majors (7.x, 8.x ...) the container has code for; PTX counts, LTO does not.
[[nodiscard]] std::size_t count_majors(std::span<const GpuImage> images);

/// Containers made for every card hold at least this many majors: half of what the fullest one
/// holds. 1 where no container has code.
[[nodiscard]] std::size_t general_threshold(const GpuCode& code);

/// How many general containers there are, whatever the card.
[[nodiscard]] std::size_t count_general(const GpuCode& code);

}  // namespace plumb

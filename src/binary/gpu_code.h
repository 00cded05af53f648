// SPDX-License-Identifier: Apache-2.0
#pragma once
// GPU code as found in a file: containers (fatbins), each with images for one target each. Plain
// data; fatbin.h finds it, judge/verdict.h says what a card can do with it.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

enum class ImageKind : std::uint8_t { ptx, cubin, lto, other };

/// "sm_90a" is {90, 'a'}; suffix 0 = none, 'a' = this compute capability only, 'f' = its family.
struct Target {
  std::uint16_t sm = 0;  // 10 * major + minor, decimal: 75, 90, 120
  char suffix = 0;
  [[nodiscard]] auto operator<=>(const Target&) const = default;
};

/// sm_90a, compute_90a, lto_90a by kind.
[[nodiscard]] std::string target_name(ImageKind kind, Target target);

struct GpuImage {
  ImageKind kind = ImageKind::other;
  Target target;
  bool empty =
      false;  // without any kernel or function (link stubs and such): no code for that target
  std::uint8_t isa_major = 0;  // PTX ISA, for ptx
  std::uint8_t isa_minor = 0;
  std::uint16_t toolkit =
      0;  // 10 * CUDA version as the cubin itself says (118, 129, 130); 0 = not said
};

struct GpuContainer {
  std::uint64_t offset = 0;       // in the file
  std::uint64_t size = 0;         // header included
  std::uint32_t first_image = 0;  // into GpuCode::images
  std::uint32_t image_count = 0;
  std::uint16_t place = 0;  // into GpuCode::places
};

/// Everything found in one file, containers in file order.
struct GpuCode {
  std::vector<GpuImage> images;
  std::vector<GpuContainer> containers;
  std::vector<std::string>
      places;  // section names (".nv_fatbin", ".ldata"), or "" where there are no sections
  [[nodiscard]] bool none() const { return images.empty(); }
  /// False also where all images are empty: nvcc's link stub alone, say.
  [[nodiscard]] bool has_kernels() const;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Containers found in a region, and in the same bytes as a stream of uneven pieces: the same ones.
#include <algorithm>
#include <cstdlib>

#include "binary/gpu_search.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::Bytes bytes = std::as_bytes(std::span(data, size));
  plumb::GpuCode code;
  const auto searched = search_region(plumb::MemorySource(bytes), {"", 0, size}, code);
  plumb::StreamSearch stream(size);
  for (std::size_t at = 0, piece = 1; at < size; at += piece, piece = piece * 7 % 1021 + 1) {
    stream.feed(bytes.subspan(at, std::min(piece, size - at)));
  }
  const auto found = stream.finish();
  if (!searched || !found) {
    return 0;  // a limit, which the two need not meet at the same place
  }
  const auto same_place = [](const plumb::GpuContainer& a, const plumb::GpuContainer& b) {
    return a.offset == b.offset && a.size == b.size && a.image_count == b.image_count;
  };
  const auto same_image = [](const plumb::GpuImage& a, const plumb::GpuImage& b) {
    return a.kind == b.kind && a.target.sm == b.target.sm && a.empty == b.empty;
  };
  if (!std::ranges::equal(code.containers, found->containers, same_place) ||
      !std::ranges::equal(code.images, found->images, same_image)) {
    std::abort();
  }
  return 0;
}

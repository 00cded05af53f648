// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/verdict.h"

namespace plumb {
namespace {

void keep_newest(std::optional<std::string>& newest, const std::string& cuda) {
  const auto version = Version::parse(cuda);
  if (!version) {
    return;
  }
  const auto known = newest ? Version::parse(*newest) : std::nullopt;
  // "12" and "12.0" are equal as versions; the longer says more.
  if (!known || *version > *known || (*version == *known && cuda.size() > newest->size())) {
    newest = cuda;
  }
}

}  // namespace

std::optional<std::string> built_with(const BinaryFacts& facts, const Catalog& catalog) {
  constexpr std::uint16_t kTen = 10;
  std::optional<std::string> newest;
  std::uint16_t toolkit = 0;
  for (const GpuImage& image : facts.gpu.images) {
    toolkit = std::max(toolkit, image.toolkit);
    if (image.kind == ImageKind::ptx) {
      if (const auto cuda = catalog.cuda_of_ptx_isa(image.isa_major, image.isa_minor)) {
        keep_newest(newest, *cuda);
      }
    }
  }
  if (toolkit != 0) {
    keep_newest(newest, std::to_string(toolkit / kTen) + "." + std::to_string(toolkit % kTen));
  }
  if (newest) {
    return newest;
  }
  for (const auto* names : {&facts.needs, &facts.delay_needs}) {
    for (const std::string& name : *names) {
      if (const auto cuda = catalog.cuda_of_library(name)) {
        keep_newest(newest, *cuda);
      }
    }
  }
  if (!newest && facts.name) {
    newest = catalog.cuda_of_library(*facts.name);
  }
  return newest;
}

}  // namespace plumb

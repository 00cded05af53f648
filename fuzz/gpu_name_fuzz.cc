// SPDX-License-Identifier: Apache-2.0
// Whatever a person types after --gpu, or a driver prints, is looked up without harm, and every hit
// can be named again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/catalog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const plumb::Catalog& catalog = plumb::Catalog::builtin();
  for (const plumb::GpuModel* model : catalog.find_gpus(text)) {
    if (catalog.find_gpus(model->name).empty()) {
      std::abort();
    }
  }
  if (catalog.nearest_gpus(text, 3).size() > 3) {
    std::abort();
  }
  static_cast<void>(catalog.cuda_of_library(text));
  return 0;
}

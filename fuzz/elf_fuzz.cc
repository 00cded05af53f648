// SPDX-License-Identifier: Apache-2.0
// An ELF file with all its names, a few symbols by name, and where its GPU code may lie.
#include <array>

#include "binary/elf.h"
#include "binary/gpu_regions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto elf = plumb::read_elf(source, {.exports = plumb::ExportDetail::names});
  if (!elf) {
    return 0;
  }
  constexpr std::array<std::string_view, 3> kNames = {"cudaRuntimeGetVersion", "f", ""};
  static_cast<void>(plumb::find_elf_symbols(source, *elf, kNames));
  const plumb::GpuRegions regions = plumb::gpu_regions(*elf, size);
  auto code = plumb::find_gpu_code(source, regions, {.asked = true});
  if (code) {
    plumb::assign_places(*code, regions.other_data);
  }
  return 0;
}

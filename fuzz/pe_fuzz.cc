// SPDX-License-Identifier: Apache-2.0
// A PE image with all that can be asked of it.
#include <array>

#include "binary/pe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto file = plumb::read_pe(source, {plumb::ExportDetail::names, true});
  if (!file) {
    return 0;
  }
  constexpr std::array<std::string_view, 2> kNames{"launch", "cufftGetVersion"};
  for (const auto& [name, offset] : plumb::find_pe_exports(source, *file, kNames)) {
    std::array<std::byte, 4> bytes{};
    static_cast<void>(source.read(offset, bytes));
  }
  for (const plumb::PeSection& section : file->sections) {
    static_cast<void>(plumb::rva_to_offset(*file, section.rva + section.virtual_size - 1));
    static_cast<void>(plumb::va_to_offset(*file, file->image_base + section.rva));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Dynamic symbols: each name that the file itself uses, and some that it does not, is looked up in
// it.
#include "binary/elf_symbol_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto elf = plumb::read_elf(source, {.exports = plumb::ExportDetail::none});
  if (!elf) {
    return 0;
  }
  const auto index = plumb::ElfSymbolIndex::read(source, *elf);
  if (index) {
    const auto undefined = index->undefined();
    for (std::size_t i = 0; undefined && i < undefined->size() && i < 100; ++i) {
      static_cast<void>(index->defines((*undefined)[i].wanted));
    }
    const plumb::ElfVersion version{"V_1", false, false, false, {}};
    for (const char* name : {"exported", "malloc", ""}) {
      static_cast<void>(index->defines(plumb::ElfWantedSymbol::of(name, nullptr)));
      static_cast<void>(index->defines(plumb::ElfWantedSymbol::of(name, &version)));
    }
  }
  static_cast<void>(plumb::ElfSymbolIndex::relocated(source, *elf));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// An export directory, every name of it looked up again.
#include <cstdint>
#include <span>
#include <string>

#include "binary/pe_export_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto file = plumb::read_pe(source, {});
  const auto table = file ? plumb::PeExportTable::read(source, *file)
                          : plumb::Result<plumb::PeExportTable>(plumb::PeExportTable());
  if (!table) {
    return 0;
  }
  for (std::size_t i = 0; i < table->name_count(); ++i) {
    const auto found = table->find(table->name(i), static_cast<std::uint16_t>(i));
    if (found) {
      static_cast<void>(plumb::parse_forwarder(found->forwarder));
      static_cast<void>(table->find_ordinal(found->ordinal));
    }
    static_cast<void>(table->find(table->name(i)));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once
// One binary, whatever its format, read into BinaryFacts.

#include <vector>

#include "base/source.h"
#include "binary/binary_facts.h"
#include "binary/export_detail.h"

namespace plumb {

enum class GpuSearch : std::uint8_t {
  marked,  // the sections made for GPU code; all data only where something says that there is more
  everywhere,
};

struct ReadOptions {
  ExportDetail exports = ExportDetail::count;
  GpuSearch search = GpuSearch::marked;
  /// GPU code already found while the bytes came by (archive members); nothing is searched then.
  const GpuCode* found = nullptr;
};

struct ReadBinary {
  BinaryFacts facts;          // path and archive are the caller's to fill in
  std::vector<Error> faults;  // parts that could not be read
};

/// The format by the first bytes (at least 64 where the file has them); empty: nothing plumb knows.
/// Wheels and conda packages are archives and not found here.
[[nodiscard]] std::optional<Format> recognise(Bytes first_bytes);

/// Errors: not_binary; what read_elf, read_pe ... say when the headers are of no use.
[[nodiscard]] Result<ReadBinary> read_binary(const Source& source, const ReadOptions& options);

}  // namespace plumb

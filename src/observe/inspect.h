// SPDX-License-Identifier: Apache-2.0
#pragma once
// Looks into files, folders and packages. Reads only; unpacks nothing to disk; a fault of one file
// never stops the rest; several files (and members of a wheel) at a time, with results in a fixed
// order.

#include <string>
#include <vector>

#include "binary/binary_reader.h"
#include "facts/inspection.h"

namespace plumb {

struct InspectOptions {
  ExportDetail exports = ExportDetail::count;
  GpuSearch search = GpuSearch::marked;
  bool verify = false;  // wheels: every member's size and SHA-256 against RECORD
};

/// Stops early, with what there is, once interrupted() says so.
[[nodiscard]] Inspection inspect_paths(const std::vector<std::string>& paths,
                                       const InspectOptions& options);

}  // namespace plumb

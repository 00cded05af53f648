// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "binary/export_detail.h"
#include "judge/inspection_judgement.h"
#include "report/text_style.h"

namespace plumb {

struct InspectTextOptions {
  TextStyle style;
  bool quiet = false;    // one line a file: the answer
  bool verbose = false;  // every binary of a folder or wheel, every section, whole lists
  ExportDetail exports = ExportDetail::count;
  std::int64_t elapsed_ms = 0;
};

/// For people: one block for a single file or each package; a table for many files.
[[nodiscard]] std::string inspect_text(const JudgedInspection& judged,
                                       const InspectTextOptions& options);

}  // namespace plumb

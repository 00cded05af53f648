// SPDX-License-Identifier: Apache-2.0
#pragma once
// What plumb says of an inspection: for each file the toolkit that made it, the driver it needs,
// and for each card asked about the verdict. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "facts/inspection.h"
#include "judge/verdict.h"

namespace plumb {

struct JudgedFile {
  const InspectedFile* file = nullptr;
  std::optional<std::string> built_with;
  std::optional<DriverNeed> need;
  std::vector<Verdict> verdicts;  // one a card; none where the file has no GPU code
  std::vector<std::vector<std::string>>
      unserved;  // packages: for each card, own libraries that it cannot run
};

struct JudgedInspection {
  const Inspection* inspection = nullptr;
  std::vector<JudgedFile> files;  // one for each of inspection->files, same order
  std::size_t cards = 0;          // how many were asked about
};

/// `inspection` must outlive the result.
[[nodiscard]] JudgedInspection judge_inspection(const Inspection& inspection,
                                                const std::vector<Card>& cards,
                                                const Catalog& catalog);

}  // namespace plumb

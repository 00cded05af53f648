// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "facts/machine.h"
#include "judge/finding.h"
#include "judge/verdict.h"

namespace plumb {

/// True where files, registry and bus do not tell the driver's version or what the card can: then
/// NVIDIA's libraries are worth asking, though that wakes the card.
[[nodiscard]] bool needs_driver_answers(const MachineFacts& machine, const Catalog& catalog);

/// What is wrong by their answers; none where nobody asked.
[[nodiscard]] std::optional<Finding> judge_driver_answers(const MachineFacts& machine);

/// Cards that only the driver tells: of the bus unknown to the catalog, or of no bus (WSL).
[[nodiscard]] std::vector<Card> cards_of_answers(const MachineFacts& machine,
                                                 const Catalog& catalog);

}  // namespace plumb

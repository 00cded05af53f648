// SPDX-License-Identifier: Apache-2.0
// Compute capabilities, and on which of them SASS runs.

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/table.h"

namespace plumb {
namespace {

std::vector<Architecture> load_architectures() {
  std::vector<Architecture> result;
  for_each_row(embedded::architectures_json, [&result](const Row& row) {
    const auto cc = ComputeCapability::parse(row.text("cc"));
    if (!cc) {
      return;
    }
    result.push_back({.cc = *cc,
                      .name = row.text("name"),
                      .first_cuda = row.text("first_cuda"),
                      .last_cuda = row.text("last_cuda"),
                      .tegra = row.flag("tegra"),
                      .last_driver_branch = row.number("last_driver_branch").value_or(0),
                      .sass_runs_on = row.capabilities("sass_runs_on"),
                      .family = row.capabilities("family")});
  });
  return result;
}

}  // namespace

const std::vector<Architecture>& Catalog::architectures() const {
  static const std::vector<Architecture> table = load_architectures();
  return table;
}

const Architecture* Catalog::find_architecture(ComputeCapability cc) const {
  const auto& table = architectures();
  const auto found = std::ranges::find(table, cc, &Architecture::cc);
  return found == table.end() ? nullptr : &*found;
}

std::vector<ComputeCapability> Catalog::family_of(ComputeCapability cc) const {
  const Architecture* architecture = find_architecture(cc);
  if (architecture == nullptr || architecture->family.empty()) {
    return {cc};
  }
  return architecture->family;
}

bool Catalog::sass_runs_on(ComputeCapability built, ComputeCapability card) const {
  const Architecture* of_built = find_architecture(built);
  const Architecture* of_card = find_architecture(card);
  if (of_built != nullptr && of_card != nullptr) {
    return std::ranges::find(of_built->sass_runs_on, card) != of_built->sass_runs_on.end();
  }
  // One of them is newer than this table: NVIDIA's general rule, with Tegra kept apart.
  if (built != card &&
      ((of_built != nullptr && of_built->tegra) || (of_card != nullptr && of_card->tegra))) {
    return false;
  }
  return built.major == card.major && built.minor <= card.minor;
}

}  // namespace plumb

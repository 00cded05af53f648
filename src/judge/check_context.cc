// SPDX-License-Identifier: Apache-2.0
#include "judge/check_context.h"

#include <algorithm>

#include "judge/driver_answers.h"

namespace plumb {

CheckContext make_context(const MachineFacts& machine, const CheckQuestion& question,
                          const Catalog& catalog) {
  CheckContext context{machine, catalog, {}, !question.cards.empty(), {}, {}, true};
  const auto add = [&context](const Card& card) {
    const bool known = std::ranges::any_of(context.cards, [&card](const Card& other) {
      return other.name == card.name && other.cc == card.cc;
    });
    if (!known) {
      context.cards.push_back(card);
    }
  };
  for (const Card& card : question.cards) {
    add(card);
  }
  if (!context.cards_named) {
    for (const SeenCard& seen : machine.cards) {
      if (const GpuModel* model = catalog.find_gpu_by_pci(seen.device)) {
        add({model->name, model->cc});
      }
    }
    std::ranges::for_each(cards_of_answers(machine, catalog), add);
  }
  context.driver_system = machine.system.wsl ? "windows" : machine.system.name;
  if (machine.python) {
    context.environment_is_here =
        machine.python.value->system == machine.system.name || machine.system.wsl;
  }
  if (context.driver_version() && context.environment_is_here) {
    context.driver = Version::parse(*context.driver_version());
  }
  return context;
}

const std::optional<std::string>& CheckContext::driver_version() const {
  const auto& answers = machine.driver_answers;
  return machine.driver.version || !answers ? machine.driver.version.value
                                            : answers->nvml.driver_version.value;
}

bool is_older(const std::optional<Version>& driver, const std::string& least) {
  const auto needed = Version::parse(least);
  return driver && needed && *driver < *needed;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Rules on the card, on toolkits and on the Python environment. driver_rules.cc and
// framework_rules.cc have the rest.

#include <algorithm>

#include "judge/check_context.h"
#include "judge/check_words.h"
#include "judge/driver_answers.h"

namespace plumb {
namespace {

constexpr const char* kByDriver = "told by the driver";

Layer layer(const char* name, LayerState state, std::string text, std::string detail = {}) {
  return {name, state, std::move(text), std::move(detail), false};
}

Judged judge_named_cards(const CheckContext& context) {
  Judged judged;
  for (const Card& card : context.cards) {
    judged.layers.push_back(layer("hardware", LayerState::absent, words::named_card(card)));
  }
  return judged;
}

/// Nothing on the bus: no card, or a bus that does not tell.
Judged judge_empty_bus(const CheckContext& context) {
  const MachineFacts& machine = context.machine;
  Judged judged;
  const bool has_driver = machine.driver.module_version.value ||
                          std::ranges::find(machine.driver.device_nodes, "/dev/nvidia0") !=
                              machine.driver.device_nodes.end() ||
                          (machine.system.name == "windows" && machine.driver.version);
  if (machine.cards_fault) {
    judged.layers.push_back(
        layer("hardware", LayerState::unknown, words::bus_unreadable(*machine.cards_fault)));
  } else if (machine.system.wsl) {
    judged.layers.push_back(layer("hardware", LayerState::unknown, words::no_pci_in_wsl()));
  } else if (has_driver) {
    judged.layers.push_back(layer("hardware", LayerState::unknown, words::driver_without_card()));
  } else {
    judged.layers.push_back(layer("hardware", LayerState::broken, words::none_found()));
    judged.findings.push_back(words::gpu_absent(machine));
  }
  return judged;
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (path[folder.size()] == '/' || path[folder.size()] == '\\');
}

}  // namespace

Judged judge_hardware(const CheckContext& context) {
  if (context.cards_named) {
    return judge_named_cards(context);
  }
  Judged judged;
  if (context.machine.cards.empty()) {
    if (context.cards.empty()) {
      return judge_empty_bus(context);
    }
    for (const Card& card : context.cards) {
      judged.layers.push_back(
          layer("hardware", LayerState::ok, words::whole_card(card, 1), kByDriver));
    }
    return judged;
  }
  for (const Card& card : context.cards) {
    std::size_t count = 0;
    std::string places;
    for (const SeenCard& seen : context.machine.cards) {
      const GpuModel* model = context.catalog.find_gpu_by_pci(seen.device);
      if (model != nullptr && model->name == card.name) {
        ++count;
        places += (places.empty() ? "" : "\n") + seen.location + ", " + seen.origin;
      }
    }
    judged.layers.push_back(layer("hardware", LayerState::ok, words::whole_card(card, count),
                                  places.empty() ? kByDriver : places));
  }
  const bool told = !cards_of_answers(context.machine, context.catalog).empty();
  for (const SeenCard& seen : context.machine.cards) {
    if (!told && context.catalog.find_gpu_by_pci(seen.device) == nullptr) {
      judged.layers.push_back(layer("hardware", LayerState::unknown, words::unknown_card(seen),
                                    seen.location + ", " + seen.origin));
    }
  }
  return judged;
}

Judged judge_toolkits(const CheckContext& context) {
  const std::vector<Toolkit>& toolkits = context.machine.toolkits;
  Judged judged;
  if (toolkits.empty()) {
    judged.layers.push_back(layer("toolkit", LayerState::absent, words::no_toolkit()));
    return judged;
  }
  std::vector<std::string> users;
  for (const FrameworkFacts& framework : context.machine.frameworks) {
    const bool uses = std::ranges::any_of(framework.needs, [&](const NeededLibrary& need) {
      return lies_in(need.found, "/usr/local/cuda") ||
             std::ranges::any_of(toolkits, [&need](const Toolkit& toolkit) {
               return lies_in(need.found, toolkit.path);
             });
    });
    if (uses) {
      users.push_back(framework.name);
    }
  }
  std::string detail;
  for (const Toolkit& toolkit : toolkits) {
    detail += (detail.empty() ? "" : "\n") + toolkit.path + ", " + toolkit.origin;
  }
  judged.layers.push_back(
      layer("toolkit", LayerState::absent, words::toolkits(toolkits, users), detail));
  return judged;
}

Judged judge_python(const CheckContext& context) {
  const MachineFacts& machine = context.machine;
  Judged judged;
  if (!machine.python) {
    const bool asked = machine.python.fault.has_value();
    Finding finding = asked ? words::environment_unreadable(*machine.python.fault)
                            : words::python_absent(machine);
    judged.layers.push_back(layer("python", LayerState::broken, finding.summary));
    judged.findings.push_back(std::move(finding));
    return judged;
  }
  const PythonEnvironment& environment = *machine.python.value;
  Layer python = layer("python", LayerState::ok, words::python_ok(environment),
                       words::python_detail(environment));
  if (!environment.path_python.empty()) {
    python.state = LayerState::look;
    judged.findings.push_back(words::wrong_environment(environment));
  }
  const bool any = std::ranges::any_of(
      machine.frameworks, [](const FrameworkFacts& framework) { return framework.is_framework; });
  if (!any) {
    python.state = LayerState::look;
    judged.findings.push_back(words::no_framework(machine));
  }
  judged.layers.push_back(std::move(python));
  return judged;
}

}  // namespace plumb

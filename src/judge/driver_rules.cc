// SPDX-License-Identifier: Apache-2.0
// Rules on the driver: is it there, is it loaded, are its two halves of one version, does it still
// know the card, is it new enough for what is installed. The first that holds is told; a driver
// that does not run has no other fault worth telling.

#include <algorithm>
#include <utility>

#include "judge/check_context.h"
#include "judge/check_words.h"
#include "judge/driver_answers.h"

namespace plumb {
namespace {

constexpr std::string_view kWslFolder = "/usr/lib/wsl";
// Windows builds of one branch carry the next numbers too: 581.29 and 582.28 are of R580.
constexpr std::uint32_t kBuildsOfBranch = 5;

bool has_node(const MachineFacts& machine, std::string_view node) {
  return std::ranges::find(machine.driver.device_nodes, node) != machine.driver.device_nodes.end();
}

/// The driver that all frameworks together ask for, "" if none does.
std::string least_driver(const CheckContext& context,
                         const std::vector<JudgedFramework>& frameworks) {
  std::string least;
  for (const JudgedFramework& framework : frameworks) {
    for (const BinaryFacts& library : framework.facts->libraries) {
      const auto need = driver_need(library, context.catalog);
      const std::string driver =
          need ? context.pick(need->linux_driver, need->windows_driver) : std::string{};
      const auto version = Version::parse(driver);
      if (version && (least.empty() || *Version::parse(least) < *version)) {
        least = driver;
      }
    }
  }
  return least;
}

bool module_is_loaded(const MachineFacts& machine) {
  return machine.driver.module_version.value.has_value();
}

std::optional<Finding> fault_in_wsl(const MachineFacts& machine, const std::string& least) {
  if (!has_node(machine, "/dev/dxg")) {
    return words::wsl_without_gpu(machine);
  }
  if (!machine.driver.library) {
    return words::driver_absent(machine, nullptr, least);
  }
  if (!machine.driver.library.value->starts_with(kWslFolder) && machine.driver.library_version) {
    return words::wsl_foreign_driver(machine);
  }
  return std::nullopt;
}

std::optional<Finding> fault_on_windows(const MachineFacts& machine, const SeenCard& card,
                                        const std::string& least) {
  if (card.problem != 0) {
    Finding finding = words::device_problem(card);
    return finding.code == "driver.absent" ? words::driver_absent(machine, &card, least) : finding;
  }
  if (!machine.driver.library) {
    return words::driver_absent(machine, &card, least);
  }
  return std::nullopt;
}

std::optional<Finding> fault_on_linux(const MachineFacts& machine, const SeenCard& card,
                                      const std::string& least) {
  const DriverFacts& driver = machine.driver;
  if (module_is_loaded(machine)) {
    const bool in_container = !machine.system.container_mark.empty();
    if (in_container && (!driver.library || !has_node(machine, "/dev/nvidiactl"))) {
      return words::container_without_gpu(machine);
    }
    if (!driver.library) {
      return words::driver_incomplete(machine);
    }
    if (driver.library_version && !driver.library_is_compat &&
        *driver.library_version.value != *driver.module_version.value) {
      return words::library_mismatch(machine);
    }
    return std::nullopt;
  }
  if (driver.module_version.fault) {
    return std::nullopt;  // told as unknown
  }
  return driver.library ? words::driver_not_loaded(machine, card)
                        : words::driver_absent(machine, &card, least);
}

std::optional<Finding> fault_of_driver(const CheckContext& context, const std::string& least) {
  const MachineFacts& machine = context.machine;
  if (machine.system.wsl) {
    return fault_in_wsl(machine, least);
  }
  if (machine.cards.empty()) {
    return std::nullopt;
  }
  const bool windows = machine.system.name == "windows";
  std::optional<Finding> fault;
  // With several cards, one that works is enough to run.
  for (const SeenCard& card : machine.cards) {
    fault = windows ? fault_on_windows(machine, card, least) : fault_on_linux(machine, card, least);
    if (!fault) {
      break;
    }
  }
  return fault;
}

/// The last branch that knows all the cards; 0 = no end known.
std::uint32_t last_branch(const CheckContext& context) {
  std::uint32_t last = 0;
  for (const Card& card : context.cards) {
    const Architecture* architecture = context.catalog.find_architecture(card.cc);
    if (architecture != nullptr && architecture->last_driver_branch != 0) {
      last = last == 0 ? architecture->last_driver_branch
                       : std::min(last, architecture->last_driver_branch);
    }
  }
  return last;
}

std::optional<Finding> fault_of_support(const CheckContext& context) {
  for (const Card& card : context.cards) {
    const Architecture* architecture = context.catalog.find_architecture(card.cc);
    if (!context.cards_named && architecture != nullptr && context.driver &&
        architecture->last_driver_branch != 0 &&
        context.driver->major() >= architecture->last_driver_branch + kBuildsOfBranch) {
      return words::card_dropped(card, context.machine, architecture->last_driver_branch);
    }
  }
  return std::nullopt;
}

/// The shortfall of the framework that asks for the newest driver.
const Shortfall* most_needed(const std::vector<JudgedFramework>& frameworks) {
  const Shortfall* most = nullptr;
  for (const JudgedFramework& framework : frameworks) {
    if (framework.shortfall &&
        (most == nullptr || is_older(Version::parse(most->driver), framework.shortfall->driver))) {
      most = &*framework.shortfall;
    }
  }
  return most;
}

std::optional<Finding> fault_of_age(const CheckContext& context,
                                    const std::vector<JudgedFramework>& frameworks) {
  const Shortfall* most = most_needed(frameworks);
  if (most == nullptr) {
    return std::nullopt;
  }
  words::TooOld told;
  told.least = most->driver;
  told.why = most->why;
  const FrameworkFacts* most_demanding = nullptr;
  for (const JudgedFramework& framework : frameworks) {
    if (framework.shortfall) {
      told.frameworks.push_back(words::framework_name(*framework.facts));
      if (&*framework.shortfall == most) {
        most_demanding = framework.facts;
      }
    }
  }
  told.driver = context.driver->text();
  const std::uint32_t last = last_branch(context);
  if (last != 0 && Version::parse(told.least)->major() > last) {
    told.last_branch = last;
  }
  return words::driver_too_old(told, context.machine,
                               fitting_build_steps(context, *most_demanding, context.driver));
}

Layer layer(LayerState state, std::string text, std::string detail = {}) {
  return {"driver", state, std::move(text), std::move(detail), false};
}

}  // namespace

Judged judge_driver(const CheckContext& context, const std::vector<JudgedFramework>& frameworks) {
  const MachineFacts& machine = context.machine;
  const DriverFacts& driver = machine.driver;
  Judged judged;
  std::optional<Finding> fault;
  if (!context.cards_named) {
    fault = fault_of_driver(context, least_driver(context, frameworks));
    if (!fault) {
      fault = judge_driver_answers(machine);
      if (fault && (fault->severity != Severity::error || fault->layer != "driver")) {
        judged.findings.push_back(*std::exchange(fault, std::nullopt));
      }
    }
    fault = fault ? fault : fault_of_support(context);
  }
  const bool runs = !fault;
  fault = fault ? fault : fault_of_age(context, frameworks);
  const std::string detail = driver.version.origin +
                             (driver.library ? "\n" + *driver.library.value : std::string{}) +
                             (driver.open_module ? "\nopen kernel module" : "");
  if (fault) {
    const std::string text =
        runs && fault->code == "driver.too_old"
            ? words::too_old_text(context.driver->text(), most_needed(frameworks)->driver)
            : words::driver_fault(*fault);
    judged.layers.push_back(layer(LayerState::broken, text, detail));
    judged.findings.push_back(*std::move(fault));
    return judged;
  }
  if (const std::optional<std::string>& text = context.driver_version()) {
    const auto version = Version::parse(*text);
    const auto cuda =
        version ? context.catalog.cuda_of_driver(context.driver_system, *version) : std::nullopt;
    judged.layers.push_back(layer(LayerState::ok, words::driver_ok(*text, cuda), detail));
  } else if (driver.library || driver.version.fault || driver.module_version.fault) {
    const std::string where = driver.library ? *driver.library.value : driver.version.origin;
    judged.layers.push_back(
        layer(LayerState::unknown, words::driver_version_unknown(where), detail));
  } else if (context.cards_named) {
    judged.layers.push_back(layer(LayerState::absent, words::driver_not_here()));
  } else {
    judged.layers.push_back(layer(LayerState::absent, words::no_driver_needed()));
  }
  return judged;
}

}  // namespace plumb

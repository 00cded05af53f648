// SPDX-License-Identifier: Apache-2.0
#include "cli/look.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>

#include "judge/driver_answers.h"
#include "observe/driver_questions.h"
#include "observe/machine.h"

namespace plumb {

void add_deep_options(CLI::App& app, LookOptions& options) {
  app.add_flag("--deep", options.deep,
               "ask the driver, too (NVML, in a process of its own); this wakes the card");
  app.add_option("--timeout", options.timeout_s, "seconds after which the driver counts as hung")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0).description(""))
      ->default_str("10");
}

std::optional<Snapshot> look_at_machine(const LookOptions& options) {
  const auto host = host_of_root(options.root);
  if (!host) {
    return std::nullopt;
  }
  Snapshot snapshot;
  if (options.processes) {
    snapshot = take_snapshot(*host, options.environment);
  } else {
    snapshot.machine = observe_machine(*host, options.environment);
  }
  const bool here = options.root.empty();
  if (here && (options.deep || needs_driver_answers(snapshot.machine, Catalog::builtin()))) {
    AskOptions ask;
    ask.timeout = std::chrono::milliseconds(std::lround(options.timeout_s * 1000));
    snapshot.machine.driver_answers = ask_driver(*host, ask);
  }
  return snapshot;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Looking at a machine, the same for `check` and `snapshot`.

#include <optional>
#include <string>

#include "cli/command.h"
#include "facts/snapshot.h"

namespace plumb {

struct LookOptions {
  std::string environment;  // --env
  std::string root;         // --root
  bool deep = false;        // ask the driver, whatever the files say
  double timeout_s = 10;    // for that
  bool processes = false;   // what each framework loads, for a snapshot
};

/// --deep and --timeout.
void add_deep_options(CLI::App& app, LookOptions& options);

/// Empty: the command line is wrong, and that was printed.
[[nodiscard]] std::optional<Snapshot> look_at_machine(const LookOptions& options);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one picture of a machine: what plumb saw, when and how, as a file that means the same on any
// other machine. docs/snapshot.md describes it.

#include <string>
#include <vector>

#include "facts/fields.h"
#include "facts/library_choice.h"
#include "facts/machine.h"

namespace plumb {

/// Raised when a reader of the older form would misunderstand the newer one; what only adds keeps
/// it.
inline constexpr int kSnapshotSchema = 1;

struct Snapshot {
  int schema = kSnapshotSchema;
  std::string plumb;      // the version that took it
  std::string taken;      // "2026-12-01T16:20:05Z"
  bool redacted = false;  // names, addresses, serial numbers and secrets are replaced
  bool complete = true;   // false: it was cut short
  MachineFacts machine;
  std::vector<ProcessLibraries> processes;  // one for each framework, and python alone
};

void fields(auto& visit, Is<Snapshot> auto& snapshot) {
  visit("schema", snapshot.schema);
  visit("plumb", snapshot.plumb);
  visit("taken", snapshot.taken);
  visit("redacted", snapshot.redacted);
  visit("complete", snapshot.complete);
  visit("machine", snapshot.machine);
  visit("processes", snapshot.processes);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Another program, run to its end or to a limit: for questions whose answer may hang or crash the
// process that asks. child_process_posix.cc / child_process_win32.cc.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace plumb {

struct ChildCommand {
  std::string program;                 // a path, never searched for; no shell is involved
  std::vector<std::string> arguments;  // UTF-8, without the program
  /// Variables set for the child on top of this process's own; nullopt = removed.
  std::map<std::string, std::optional<std::string>> environment;
  std::chrono::milliseconds limit{10'000};  // of wall-clock time
  std::size_t output_cap = 1U << 20U;       // bytes kept of stdout
  std::size_t error_cap = 1U << 16U;        // bytes kept of stderr
};

struct ChildResult {
  int exit_code = -1;  // of a child that ended by itself
  std::string crash;   // else "SIGSEGV", on Windows an NTSTATUS: "0xC0000005"
  bool timed_out = false;
  bool interrupted = false;  // Ctrl-C came first (os/interrupt.h)
  bool left_behind = false;  // it was killed and did not end: stuck inside the system
  std::string output;        // of stdout, at most output_cap bytes
  std::string errors;        // of stderr, at most error_cap bytes
  bool truncated = false;    // there was more output than that
};

/// Starts the program with an empty stdin and no terminal or console, waits for its end, and ends
/// what it started besides. At the limit all of it is killed; should this process die meanwhile,
/// the system kills the child. However much the child writes, it is never blocked by it. Error: the
/// program cannot be started.
[[nodiscard]] Result<ChildResult> run_child(const ChildCommand& command);

/// The file of the running program.
[[nodiscard]] std::string own_program_path();

/// Where this process shall die without a word instead: no core file, no window that asks for a
/// debugger.
void die_quietly();

}  // namespace plumb

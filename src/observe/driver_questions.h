// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asking NVML and the CUDA driver. Their code is NVIDIA's, talks to a kernel module and may hang or
// crash, so this process never loads it: a child does, which is this program again
// (`plumb ask-driver`, not in its help), and is killed at the limit.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/driver_answers.h"
#include "observe/host.h"

namespace plumb {

using WriteLine = std::function<void(std::string_view)>;

enum class DriverLibraryKind : std::uint8_t { nvml, cuda };
enum class AskWhich : std::uint8_t {
  as_needed,  // NVML; the CUDA driver only where NVML did not tell versions and cards
  nvml,
  cuda,
  both,
};

struct AskOptions {
  std::chrono::milliseconds timeout{10'000};  // for all questions together
  AskWhich which = AskWhich::as_needed;
  std::string program;  // that is started as the child; "" = the running one
  std::map<std::string, std::optional<std::string>> environment;  // as in os/child_process.h
};

/// Runs the child. Only the running machine can be asked: for a mounted one nothing is tried.
[[nodiscard]] DriverAnswers ask_driver(const Host& host, const AskOptions& options = {});

/// The child's part: loads the library, asks all, and gives lines (driver_asker.h) to `write`.
/// `library` is a file to load instead of the driver's own; "" = none.
void answer_as_child(const Host& host, DriverLibraryKind kind, const std::string& library,
                     const WriteLine& write);

/// What may be loaded, best first. Linux: the name by which every program asks for it. Windows:
/// full paths in System32 and, for NVML of old drivers, in Program Files; never the current folder
/// or plumb's own. PLUMB_NVML and PLUMB_CUDA_DRIVER name another file by absolute path: for plumb's
/// own tests, and to try a library that was put aside.
[[nodiscard]] std::vector<std::string> driver_library_candidates(const Host& host,
                                                                 DriverLibraryKind kind);

}  // namespace plumb

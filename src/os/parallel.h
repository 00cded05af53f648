// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace plumb {

/// Calls task(0) ... task(count - 1), each once, on up to `threads` threads (0: one a core), in
/// order of start. Returns when all are done. Tasks must not throw; the caller's thread works too.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task,
                  unsigned threads = 0);

/// Cores this process may use (affinity and cgroup quota respected), at least 1.
[[nodiscard]] unsigned usable_cores();

}  // namespace plumb

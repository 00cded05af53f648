// SPDX-License-Identifier: Apache-2.0
#include "os/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace plumb {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task,
                  unsigned threads) {
  const std::size_t wanted = threads == 0 ? usable_cores() : threads;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      task(i);
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(wanted, count); ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // a limit on processes: fewer hands do the same work
    }
  }
  work();
}

}  // namespace plumb

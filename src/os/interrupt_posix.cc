// SPDX-License-Identifier: Apache-2.0
#include "os/interrupt.h"

#include <atomic>
#include <csignal>

namespace plumb {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

void set_flag(int /*signal*/) {
  flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action{};
  // Whoever started us in the background with SIGINT ignored (nohup, a shell's &) wants it to stay
  // so.
  if (::sigaction(SIGINT, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    return;
  }
  action = {};
  action.sa_handler = set_flag;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // reset: the second Ctrl-C kills
  ::sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return flag.load(std::memory_order_relaxed);
}

}  // namespace plumb

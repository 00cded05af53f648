// SPDX-License-Identifier: Apache-2.0
#include "os/interrupt.h"

#include <windows.h>

#include <atomic>

namespace plumb {
namespace {

std::atomic<bool> flag{false};

BOOL WINAPI set_flag(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) {
    return FALSE;
  }
  // FALSE on the second time passes it on to the default handler, which ends the process.
  return flag.exchange(true) ? FALSE : TRUE;
}

}  // namespace

void watch_interrupts() {
  ::SetConsoleCtrlHandler(set_flag, TRUE);
}

bool interrupted() {
  return flag.load(std::memory_order_relaxed);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ctrl-C. interrupt_posix.cc / interrupt_win32.cc.

namespace plumb {

/// From now on the first Ctrl-C only sets a flag, so that a long run can stop cleanly
/// (ExitCode::interrupted); a second one ends the process at once.
void watch_interrupts();

/// True once Ctrl-C was pressed. Cheap; any thread may ask.
[[nodiscard]] bool interrupted();

}  // namespace plumb

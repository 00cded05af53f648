// SPDX-License-Identifier: Apache-2.0
#pragma once
// The console. terminal_posix.cc / terminal_win32.cc.

#include <cstddef>
#include <string_view>

namespace plumb {

enum class Stream { out, err };

struct TerminalTraits {
  bool is_terminal = false;
  bool colour = false;  // a terminal that takes ANSI sequences, NO_COLOR not set, TERM not dumb
  bool unicode = true;  // false: use `ok ! X ? -` for the marks
  std::size_t columns = 80;  // 80 when it is not a terminal
};

/// Prepares the console (Windows: UTF-8 output, virtual terminal sequences) and says what it can
/// show.
[[nodiscard]] TerminalTraits terminal_traits(Stream stream);

/// Writes all of `text` (UTF-8), to a Windows console by wide characters whatever its code page.
/// False on failure.
bool write_stream(Stream stream, std::string_view text);

/// Windows: started by a double click (this process alone owns the console). Linux: false.
[[nodiscard]] bool owns_console();
/// Waits for a key press (only if owns_console()).
void wait_for_key();

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The console's code page is left as it is: it would outlast plumb and confuse other programs of
// the same window. A console gets wide characters, for which the code page does not matter; pipes
// and files get UTF-8. The mode that makes ANSI sequences work also outlasts the process, so it is
// put back at exit.
#include "os/terminal.h"

#include <conio.h>
#include <windows.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "os/environment.h"
#include "os/wide.h"

namespace plumb {
namespace {

struct SavedMode {
  HANDLE console = nullptr;
  DWORD mode = 0;
};
SavedMode saved_modes[2];  // by Stream

HANDLE handle_of(Stream stream) {
  return ::GetStdHandle(stream == Stream::out ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

void restore_modes() {
  for (const SavedMode& saved : saved_modes) {
    if (saved.console != nullptr) {
      ::SetConsoleMode(saved.console, saved.mode);
    }
  }
}

bool takes_sequences(Stream stream, HANDLE console, DWORD mode) {
  if ((mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0) {
    return true;
  }
  if (!::SetConsoleMode(console,
                        mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING)) {
    return false;  // before Windows 10 1511
  }
  static const int registered = std::atexit(restore_modes);
  static_cast<void>(registered);
  saved_modes[static_cast<std::size_t>(stream)] = {console, mode};
  return true;
}

bool write_console(HANDLE console, std::wstring_view wide) {
  constexpr std::size_t kMostAtOnce = 8192;
  while (!wide.empty()) {
    std::size_t length = std::min(wide.size(), kMostAtOnce);
    const bool high_surrogate_last = (wide[length - 1] & 0xfc00) == 0xd800;
    if (length > 1 && length < wide.size() && high_surrogate_last) {
      --length;
    }
    DWORD written = 0;
    if (!::WriteConsoleW(console, wide.data(), static_cast<DWORD>(length), &written, nullptr) ||
        written == 0) {
      return false;
    }
    wide.remove_prefix(written);
  }
  return true;
}

}  // namespace

TerminalTraits terminal_traits(Stream stream) {
  TerminalTraits traits;
  const HANDLE handle = handle_of(stream);
  DWORD mode = 0;
  traits.is_terminal = ::GetConsoleMode(handle, &mode) != 0;
  if (!traits.is_terminal) {
    return traits;
  }
  traits.colour =
      takes_sequences(stream, handle, mode) && get_environment("NO_COLOR").value_or("").empty();
  // Windows Terminal and editors take glyphs from any font; the old console has those of its one
  // font, and Consolas lacks the marks.
  traits.unicode =
      get_environment("WT_SESSION").has_value() || get_environment("TERM_PROGRAM").has_value();
  CONSOLE_SCREEN_BUFFER_INFO information{};
  if (::GetConsoleScreenBufferInfo(handle, &information)) {
    const int columns = information.srWindow.Right - information.srWindow.Left + 1;
    if (columns > 0) {
      traits.columns = static_cast<std::size_t>(columns);
    }
  }
  return traits;
}

bool write_stream(Stream stream, std::string_view text) {
  const HANDLE handle = handle_of(stream);
  DWORD mode = 0;
  if (::GetConsoleMode(handle, &mode)) {
    return write_console(handle, to_wide(text));
  }
  while (!text.empty()) {
    constexpr std::size_t kMostAtOnce = 1U << 20U;
    DWORD written = 0;
    if (!::WriteFile(handle, text.data(), static_cast<DWORD>(std::min(text.size(), kMostAtOnce)),
                     &written, nullptr) ||
        written == 0) {
      return false;
    }
    text.remove_prefix(written);
  }
  return true;
}

bool owns_console() {
  DWORD process = 0;
  return ::GetConsoleProcessList(&process, 1) == 1;
}

void wait_for_key() {
  static_cast<void>(::_getch());
}

}  // namespace plumb

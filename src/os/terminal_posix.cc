// SPDX-License-Identifier: Apache-2.0
#include "os/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/text.h"
#include "os/environment.h"

namespace plumb {
namespace {

int descriptor_of(Stream stream) {
  return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO;
}

// A locale that names another character set is believed; none at all ("C", a container) is not,
// since terminals without UTF-8 have become rare. The kernel's own text console has UTF-8 but a
// font of 256 or 512 glyphs.
bool shows_unicode(const std::string& term) {
  if (term == "linux" || term == "dumb") {
    return false;
  }
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = to_lower_ascii(get_environment(name).value_or(""));
    if (locale.empty()) {
      continue;
    }
    const std::size_t dot = locale.find('.');
    return dot == std::string::npos || locale.find("utf-8", dot) != std::string::npos ||
           locale.find("utf8", dot) != std::string::npos;
  }
  return true;
}

}  // namespace

TerminalTraits terminal_traits(Stream stream) {
  TerminalTraits traits;
  const int descriptor = descriptor_of(stream);
  traits.is_terminal = ::isatty(descriptor) == 1;
  if (!traits.is_terminal) {
    return traits;
  }
  const std::string term = get_environment("TERM").value_or("");
  traits.colour =
      !term.empty() && term != "dumb" && get_environment("NO_COLOR").value_or("").empty();
  traits.unicode = shows_unicode(term);
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    traits.columns = size.ws_col;
  }
  return traits;
}

bool write_stream(Stream stream, std::string_view text) {
  const int descriptor = descriptor_of(stream);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Somebody made the pipe non-blocking; wait until it takes more.
      pollfd wait{descriptor, POLLOUT, 0};
      if (::poll(&wait, 1, -1) < 0 && errno != EINTR) {
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool owns_console() {
  return false;
}

void wait_for_key() {}

}  // namespace plumb

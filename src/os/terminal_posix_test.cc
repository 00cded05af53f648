// SPDX-License-Identifier: Apache-2.0
#include "os/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace plumb {
namespace {

// Puts another file in the place of standard error for a while; standard output is GoogleTest's.
class StderrIs {
 public:
  explicit StderrIs(int descriptor) : saved_(::dup(STDERR_FILENO)) {
    std::fflush(stderr);
    ::dup2(descriptor, STDERR_FILENO);
  }
  StderrIs(const StderrIs&) = delete;
  StderrIs& operator=(const StderrIs&) = delete;
  ~StderrIs() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TerminalTraits traits_with(const char* term, const char* locale, const char* no_colour) {
  ::setenv("TERM", term, 1);
  ::setenv("LC_ALL", locale, 1);
  ::setenv("NO_COLOR", no_colour, 1);
  const TerminalTraits traits = terminal_traits(Stream::err);
  ::unsetenv("TERM");
  ::unsetenv("LC_ALL");
  ::unsetenv("NO_COLOR");
  return traits;
}

TEST(TerminalTraits, OfATerminal) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (controller < 0) {
    GTEST_SKIP() << "this system gives out no terminals (no devpts)";
  }
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  winsize size{};
  size.ws_col = 132;
  ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);
  {
    const StderrIs replaced(terminal);
    const TerminalTraits usual = traits_with("xterm-256color", "zh_CN.UTF-8", "");
    EXPECT_TRUE(usual.is_terminal);
    EXPECT_TRUE(usual.colour);
    EXPECT_TRUE(usual.unicode);
    EXPECT_EQ(usual.columns, 132U);
    EXPECT_FALSE(traits_with("xterm", "C.UTF-8", "1").colour);
    EXPECT_FALSE(traits_with("dumb", "C.UTF-8", "").colour);
    EXPECT_FALSE(traits_with("", "C.UTF-8", "").colour);
    EXPECT_FALSE(traits_with("xterm", "zh_CN.GBK", "").unicode);
    EXPECT_FALSE(traits_with("linux", "en_US.utf8", "").unicode);
    EXPECT_TRUE(traits_with("xterm", "C", "").unicode);  // a container without a locale
  }
  ::close(terminal);
  ::close(controller);
}

TEST(TerminalTraits, OfAPipeAreTheSameEverywhere) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  {
    const StderrIs replaced(pipe_ends[1]);
    const TerminalTraits traits = traits_with("xterm", "zh_CN.GBK", "");
    EXPECT_FALSE(traits.is_terminal);
    EXPECT_FALSE(traits.colour);
    EXPECT_TRUE(traits.unicode);
    EXPECT_EQ(traits.columns, 80U);
  }
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST(WriteStream, WaitsForASlowReaderOfANonBlockingPipe) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ASSERT_EQ(::fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string text(1'000'000, 'x');
  std::size_t received = 0;
  {
    std::jthread reader([&] {
      std::string buffer(50'000, '\0');
      for (ssize_t got = 1; got > 0; received += static_cast<std::size_t>(got)) {
        got = ::read(pipe_ends[0], buffer.data(), buffer.size());
      }
    });
    {
      const StderrIs replaced(pipe_ends[1]);
      EXPECT_TRUE(write_stream(Stream::err, text));
    }
    ::close(pipe_ends[1]);
  }
  EXPECT_EQ(received, text.size());
  ::close(pipe_ends[0]);
}

TEST(WriteStream, TellsThatNothingCanBeWritten) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const StderrIs replaced(full);
  EXPECT_FALSE(write_stream(Stream::err, "text"));
  ::close(full);
}

}  // namespace
}  // namespace plumb

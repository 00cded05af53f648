// SPDX-License-Identifier: Apache-2.0
#include "os/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace plumb {
namespace {

// In child processes: the flag is the process's own and is never taken back.
TEST(InterruptDeathTest, TheFirstCtrlCOnlySetsTheFlag) {
  EXPECT_EXIT(
      {
        watch_interrupts();
        const bool before = interrupted();
        std::raise(SIGINT);
        std::_Exit(!before && interrupted() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSecondCtrlCEndsTheProcess) {
  EXPECT_EXIT(
      {
        watch_interrupts();
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, AnIgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        watch_interrupts();
        std::raise(SIGINT);
        std::_Exit(interrupted() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

namespace plumb {
namespace {

TEST(ChildProcess, NoZombieIsLeft) {
  ChildCommand command{PLUMB_CHILD_PROGRAM, {"hang"}, {}};
  command.limit = std::chrono::milliseconds{300};
  EXPECT_TRUE(run_child(command)->timed_out);
  EXPECT_FALSE(run_child({"/", {}, {}}));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace plumb

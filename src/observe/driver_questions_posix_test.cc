// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_questions.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "support/temp_folder.h"

namespace plumb {
namespace {

TEST(DriverQuestions, NoChildIsLeft) {
  const test::TempFolder folder;
  AskOptions options;
  options.program = PLUMB_PROGRAM;
  options.timeout = std::chrono::milliseconds{500};
  options.which = AskWhich::nvml;
  options.environment["PLUMB_NVML"] = PLUMB_DOUBLES "/nvml" PLUMB_DOUBLE_SUFFIX;
  options.environment["PLUMB_DOUBLE_SCRIPT"] = folder.write("script", "nvmlInit_v2 = hang\n");
  const DriverAnswers answers = ask_driver(this_host(), options);
  EXPECT_EQ(answers.nvml.library.state, AskState::timed_out);
  EXPECT_FALSE(answers.nvml.library.left_behind);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <gtest/gtest.h>

#include <thread>

#include "os/environment.h"
#include "os/file.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

using std::chrono::milliseconds;
using test::TempFolder;

ChildCommand child(std::vector<std::string> arguments) {
  ChildCommand command{PLUMB_CHILD_PROGRAM, std::move(arguments), {}};
  command.limit = milliseconds{60'000};
  command.environment["ASAN_OPTIONS"] = "handle_segv=0:detect_leaks=0";
  return command;
}

TEST(ChildProcess, ArgumentsArriveAsGiven) {
  const auto result = run_child(child({"words", "", "a b", "\"q\"", "\\", "x\\\"y z\\\\", "*.cc",
                                       "\xE6\xB7\xB1\xE5\xBA\xA6", "$HOME %PATH%"}));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->output,
            "[words][][a b][\"q\"][\\][x\\\"y z\\\\][*.cc][\xE6\xB7\xB1\xE5\xBA\xA6][$HOME "
            "%PATH%]");
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->crash, "");
}

TEST(ChildProcess, VariablesAreSetAndRemoved) {
  ChildCommand command = child({"variable", "PLUMB_TEST_VALUE"});
  command.environment["PLUMB_TEST_VALUE"] = "\xC3\xA9 = 1";
  EXPECT_EQ(run_child(command)->output, "\xC3\xA9 = 1");
  command = child({"variable", "PATH"});
  EXPECT_EQ(run_child(command)->output, get_environment("PATH").value_or("not set"));
  command.environment["PATH"] = std::nullopt;
  EXPECT_EQ(run_child(command)->output, "not set");
}

TEST(ChildProcess, InputIsEmptyAndTheExitCodeIsTold) {
  EXPECT_EQ(run_child(child({"input"}))->output, "empty");
  const auto result = run_child(child({"exit", "7"}));
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(result->errors, "oh");
  EXPECT_FALSE(result->truncated);
}

TEST(ChildProcess, AFloodIsCutOffAndDoesNotBlock) {
  ChildCommand command = child({"flood", "100000000"});
  command.output_cap = 1000;
  command.error_cap = 10;
  const auto result = run_child(command);
  EXPECT_EQ(result->output.size(), 1000U);
  EXPECT_EQ(result->errors.size(), 10U);
  EXPECT_TRUE(result->truncated);
  EXPECT_EQ(result->exit_code, 0);
}

TEST(ChildProcess, OneThatHangsIsEndedAndWhatItSaidIsKept) {
  ChildCommand command = child({"hang"});
  command.limit = milliseconds{1000};
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_child(command);
  EXPECT_TRUE(result->timed_out);
  EXPECT_FALSE(result->left_behind);
  EXPECT_EQ(result->crash, "");
  EXPECT_EQ(result->output, "before");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
}

TEST(ChildProcess, ACrashIsNamed) {
  const auto result = run_child(child({"crash"}));
  EXPECT_EQ(result->crash, system_name() == "windows" ? "0xC0000005" : "SIGSEGV");
  EXPECT_EQ(result->output, "before");
  EXPECT_FALSE(result->timed_out);
}

TEST(ChildProcess, WhatTheChildStartedEndsWithIt) {
  const TempFolder folder;
  const std::string file = folder.path("marks");
  ChildCommand command = child({"start", file});
  command.limit = milliseconds{3000};
  EXPECT_TRUE(run_child(command)->timed_out);
  std::this_thread::sleep_for(milliseconds{200});  // a last mark may be under way
  const auto before = file_status(file);
  ASSERT_GT(before->size, 0U) << "the grandchild did not start";
  std::this_thread::sleep_for(milliseconds{300});
  EXPECT_EQ(file_status(file)->size, before->size);
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnError) {
  ChildCommand command = child({});
  command.program = join_path(parent_path(command.program), "no such program");
  const auto result = run_child(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
  EXPECT_EQ(result.error().where, command.program);
}

TEST(ChildProcess, TheOwnProgramIsKnown) {
  EXPECT_TRUE(std::string(file_name(own_program_path())).starts_with("os_test"));
}

}  // namespace
}  // namespace plumb

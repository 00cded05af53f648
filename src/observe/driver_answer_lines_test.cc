// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_answer_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb {
namespace {

NvmlAnswers parse(const std::string& lines) {
  return parse_nvml_lines("{\"init\":\"nvmlInit_v2\",\"code\":0}\n" + lines +
                          "\n{\"done\":true}\n");
}

std::string fact(const std::string& name, const std::string& value) {
  return R"({"fact":")" + name + R"(","call":"c","device":0,"code":0,"value":)" + value + "}";
}

TEST(DriverAnswerLines, NothingIsNoAnswer) {
  EXPECT_EQ(parse_nvml_lines("").library.state, AskState::no_answer);
  EXPECT_EQ(parse_cuda_driver_lines("\n\n{}\n[]\n{\"").library.state, AskState::no_answer);
}

TEST(DriverAnswerLines, ALibrarysWordsMayStandBeforeALine) {
  const NvmlAnswers answers = parse_nvml_lines(
      "NVRM: {\"x\": 1} \xFF{\"code\":18,\"init\":\"nvmlInit_v2\"}\n{\"done\":true}\n");
  EXPECT_EQ(answers.library.state, AskState::init_failed);
}

TEST(DriverAnswerLines, AValueOfAnotherShapeIsUnreadable) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"name", "7"},
      {"name", "null"},
      {"minor_number", "-1"},
      {"minor_number", "4294967296"},
      {"minor_number", "1.5"},
      {"minor_number", "\"1\""},
      {"persistence_mode", "2"},
      {"compute_mode", "4"},
      {"compute_mode", "-1"},
      {"memory_total", "-5"},
      {"temperature", "18446744073709551615"},
      {"compute_processes", "{}"},
      {"compute_processes", "[7]"},
      {"compute_processes", "[{\"pid\":-1}]"}};
  for (const auto& [name, value] : wrong) {
    const NvmlAnswers answers = parse(fact(name, value));
    ASSERT_EQ(answers.devices.size(), 1U) << name;
    int faults = 0;
    const auto count = [&](std::string_view /*name*/, const auto& part) {
      if constexpr (requires { part.origin; }) {
        faults += part.fault ? 1 : 0;
      }
    };
    fields(count, answers.devices[0]);
    EXPECT_EQ(faults, 1) << name << " " << value;
  }
}

TEST(DriverAnswerLines, LinesOfWrongKindsAreHarmless) {
  const std::string deep(30'000, '[');
  const NvmlAnswers answers = parse(
      "{\"begin\":7}\n{\"fact\":[]}\n{\"fact\":\"name\",\"device\":-1}\n"
      "{\"fact\":\"name\",\"device\":64,\"code\":0,\"value\":\"x\"}\n"
      "{\"fact\":\"name\",\"device\":\"0\"}\n{\"no_handle\":null,\"device\":1e99}\n"
      "{\"x\":" +
      deep + "\n{\"x\":\"" + std::string(200'000, 'y') + "\"}\n" +
      "{\"fact\":\"no_such\",\"device\":0,\"code\":0,\"value\":1}");
  EXPECT_EQ(answers.library.state, AskState::ok);
  EXPECT_EQ(answers.devices.size(), 1U);
}

TEST(DriverAnswerLines, ANewArchitectureStaysANumber) {
  EXPECT_EQ(parse(fact("architecture", "10")).devices[0].architecture.value, "Blackwell");
  EXPECT_EQ(parse(fact("architecture", "16")).devices[0].architecture.value, "16");
  EXPECT_EQ(parse(fact("architecture", "0")).devices[0].architecture.value, "0");
}

TEST(DriverAnswerLines, TheCallThatDidNotComeBackIsKnown) {
  const NvmlAnswers answers = parse_nvml_lines(
      "{\"init\":\"nvmlInit_v2\",\"code\":0}\n{\"begin\":\"nvmlDeviceGetName\",\"device\":3}\n{"
      "\"fa");
  EXPECT_EQ(answers.library.state, AskState::no_answer);
  EXPECT_EQ(answers.library.last_call, "nvmlDeviceGetName");
  EXPECT_EQ(answers.library.last_device, 3U);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loader scenarios (tools/loader_scenario.py has their format), replayed by LinuxProcess.

#include <string>
#include <string_view>

#include "loader/file_view.h"
#include "loader/linux_process.h"

namespace plumb::test {

/// The path of the program that the scenario starts. `scenario` is its JSON, without placeholders;
/// `world` the folder that holds its files.
[[nodiscard]] std::string scenario_program(std::string_view scenario, const std::string& world);

/// What tests/tools/loader_driver.c prints when the real ld.so runs the scenario, as lines.
[[nodiscard]] std::string replay_scenario(std::string_view scenario, const std::string& world,
                                          FileView& files, const LinuxSettings& settings);

}  // namespace plumb::test

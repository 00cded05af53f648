// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is written down about loading GPU modules: modprobe.d(5) and the kernel's command line.

#include <string>
#include <string_view>
#include <vector>

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] ModuleRules observe_module_rules(const Host& host);

/// Rules of one file about nouveau, nova and NVIDIA's modules.
[[nodiscard]] std::vector<ModuleRule> parse_modprobe_file(std::string_view text,
                                                          const std::string& path);

}  // namespace plumb

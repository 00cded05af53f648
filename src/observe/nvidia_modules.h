// SPDX-License-Identifier: Apache-2.0
#pragma once
// What Linux' kernel says of NVIDIA's modules and of those that compete with them: /sys/module,
// /proc/modules, /proc/driver/nvidia.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] std::vector<LoadedModule> observe_modules(const Host& host);
/// By /proc/driver/nvidia/version, else by the taint of the loaded module.
[[nodiscard]] Fact<ModuleFlavour> observe_flavour(const Host& host,
                                                  const std::vector<LoadedModule>& modules);
/// Those of /proc/driver/nvidia/params that explain why something is as it is.
[[nodiscard]] Fact<std::map<std::string, std::string>> observe_parameters(const Host& host);
[[nodiscard]] std::vector<ModuleCard> observe_module_cards(const Host& host);
[[nodiscard]] Fact<std::vector<MigInstance>> observe_mig(const Host& host);

/// One card's `information`; `location` and `origin` are left to the caller, facts have `path`.
[[nodiscard]] ModuleCard parse_card_information(std::string_view text, const std::string& path);
/// "Name: value" lines; quotes around a value are removed.
[[nodiscard]] std::map<std::string, std::string> parse_parameters(std::string_view text);

}  // namespace plumb

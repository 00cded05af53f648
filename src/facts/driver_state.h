// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of NVIDIA's driver beyond its version (DriverFacts): what is loaded, installed, left
// over, forbidden.

#include <optional>
#include <string>
#include <vector>

#include "facts/fields.h"
#include "facts/linux_driver.h"
#include "facts/windows_driver.h"

namespace plumb {

/// A variable that steers CUDA or the container runtime, if it is set at all: CUDA_VISIBLE_DEVICES
/// set to nothing hides every card.
struct GpuVariable {
  std::string name;
  std::string value;
};
void fields(auto& visit, Is<GpuVariable> auto& variable) {
  visit("name", variable.name);
  visit("value", variable.value);
}

struct DriverState {
  std::vector<GpuVariable> variables;
  std::optional<LinuxDriver> linux_driver;  // WSL included: files that are wrong there
  std::optional<WslDriver> wsl;
  std::optional<WindowsDriver> windows;
};
void fields(auto& visit, Is<DriverState> auto& state) {
  visit("variables", state.variables);
  visit("linux", state.linux_driver);
  visit("wsl", state.wsl);
  visit("windows", state.windows);
}

}  // namespace plumb

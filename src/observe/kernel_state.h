// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linux' kernel as far as a driver module hangs on it: which one runs, whether it has the module,
// what could build one, and what may keep it from being loaded.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

/// `module_version`: of the loaded module, "" if none is; decides which GSP firmware is asked for.
[[nodiscard]] KernelFacts observe_kernel(const Host& host, const std::string& module_version);

[[nodiscard]] KernelGuards observe_guards(const Host& host);
/// DKMS' own records of NVIDIA's modules (dkms(8), /var/lib/dkms).
[[nodiscard]] std::vector<DkmsModule> observe_dkms(const Host& host, const std::string& release);

/// The path that modules.dep gives for nvidia.ko, below the kernel's folder or absolute.
[[nodiscard]] std::optional<std::string> nvidia_in_modules_dep(std::string_view text);

}  // namespace plumb

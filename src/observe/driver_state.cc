// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_state.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "observe/cards.h"
#include "observe/device_nodes.h"
#include "observe/driver_libraries.h"
#include "observe/driver_packages.h"
#include "observe/driver_services.h"
#include "observe/driver_version.h"
#include "observe/kernel_state.h"
#include "observe/modprobe_rules.h"
#include "observe/nvidia_modules.h"
#include "observe/windows_driver.h"
#include "observe/wsl_driver.h"

namespace plumb {
namespace {

// Which cards a program sees, then how CUDA works on them; at the end other vendors' first kind.
constexpr std::array<const char*, 26> kVariables = {"CUDA_VISIBLE_DEVICES",
                                                    "CUDA_DEVICE_ORDER",
                                                    "NVIDIA_VISIBLE_DEVICES",
                                                    "NVIDIA_DRIVER_CAPABILITIES",
                                                    "NVIDIA_REQUIRE_CUDA",
                                                    "NVIDIA_DISABLE_REQUIRE",
                                                    "CUDA_MODULE_LOADING",
                                                    "CUDA_MODULE_DATA_LOADING",
                                                    "CUDA_CACHE_PATH",
                                                    "CUDA_CACHE_DISABLE",
                                                    "CUDA_CACHE_MAXSIZE",
                                                    "CUDA_LAUNCH_BLOCKING",
                                                    "CUDA_DEVICE_MAX_CONNECTIONS",
                                                    "CUDA_MPS_PIPE_DIRECTORY",
                                                    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                                    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
                                                    "CUDA_FORCE_PTX_JIT",
                                                    "CUDA_DISABLE_PTX_JIT",
                                                    "CUDA_FORCE_JIT",
                                                    "CUDA_DISABLE_JIT",
                                                    "CUDA_INJECTION64_PATH",
                                                    "NVIDIA_TF32_OVERRIDE",
                                                    "NVIDIA_CTK_LIBCUDA_DIR",
                                                    "HIP_VISIBLE_DEVICES",
                                                    "ROCR_VISIBLE_DEVICES",
                                                    "ZE_AFFINITY_MASK"};

LinuxDriver observe_linux_driver(const Host& host, bool wsl,
                                 const std::vector<CachedLibrary>& cache) {
  LinuxDriver driver;
  driver.packages = observe_driver_packages(host);
  driver.libraries = observe_driver_libraries(host, cache);
  if (wsl) {
    return driver;
  }
  driver.modules = observe_modules(host);
  driver.flavour = observe_flavour(host, driver.modules);
  driver.parameters = observe_parameters(host);
  driver.cards = observe_module_cards(host);
  observe_device_nodes(host, driver);
  driver.mig = observe_mig(host);
  driver.rules = observe_module_rules(host);
  const auto nvidia = std::ranges::find(driver.modules, "nvidia", &LoadedModule::name);
  driver.kernel = observe_kernel(
      host, nvidia == driver.modules.end() ? "" : nvidia->version.value.value_or(""));
  driver.services = observe_driver_services(host);
  return driver;
}

}  // namespace

std::vector<GpuVariable> observe_gpu_variables(const Host& host) {
  std::vector<GpuVariable> variables;
  for (const char* name : kVariables) {
    if (auto value = host.variable ? host.variable(name) : std::nullopt) {
      variables.push_back({name, *std::move(value)});
    }
  }
  return variables;
}

DriverState observe_driver_state(const Host& host, bool wsl,
                                 const std::vector<CachedLibrary>& cache) {
  DriverState state;
  state.variables = observe_gpu_variables(host);
  if (host.is_windows()) {
    state.windows = observe_windows_driver_state(host);
    return state;
  }
  state.linux_driver = observe_linux_driver(host, wsl, cache);
  if (wsl) {
    state.wsl = observe_wsl_driver(host, *state.linux_driver);
  }
  return state;
}

DriverState observe_driver_state(const Host& host) {
  return observe_driver_state(host, observe_system(host).wsl, read_library_cache(host));
}

}  // namespace plumb

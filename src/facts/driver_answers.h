// SPDX-License-Identifier: Apache-2.0
#pragma once
// What NVIDIA's own libraries answer when they are asked: NVML (the one behind nvidia-smi) and the
// CUDA driver. Asked in a child process, since they may hang or crash
// (observe/driver_questions.h). The origin of each value is the call that gave it
// ("nvmlDeviceGetName").

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

enum class AskState : std::uint8_t {
  not_tried,    // a mounted system, or nobody wanted to know; `detail` may say why
  ok,           // started, and answered to the end; single values may still be missing
  load_failed,  // no such library, or it could not be loaded: `detail` is the loader's text
  init_failed,  // nvmlInit or cuInit: `code` and `code_name`
  crashed,      // in `last_call`; `detail` says how: "SIGSEGV", "0xC0000005"
  timed_out,    // in `last_call`
  no_answer,    // the child could not be started, or ended before its end: `detail`
};

constexpr auto enum_names(AskState) {
  return std::to_array<std::string_view>(
      {"not_tried", "ok", "load_failed", "init_failed", "crashed", "timed_out", "no_answer"});
}

/// A call that gave an error.
struct CallFault {
  std::string call;       // "nvmlInit_v2"
  int code = 0;           // 18
  std::string code_name;  // "LIB_RM_VERSION_MISMATCH": without NVML_ERROR_ or CUDA_ERROR_; "" = new
};

void fields(auto& visit, Is<CallFault> auto& fault) {
  visit("call", fault.call);
  visit("code", fault.code);
  visit("code_name", fault.code_name);
}

/// How asking one library went. Answers given before a crash or a limit are kept.
struct AskedLibrary {
  AskState state = AskState::not_tried;
  std::string library;  // the file that was loaded; if none was, the name that was tried last
  std::string detail;
  std::string last_call;                     // that was begun and did not come back
  std::optional<std::uint32_t> last_device;  // of that call, where it was about one
  std::optional<CallFault> fault;            // of init_failed
  bool left_behind = false;                  // killed, yet it still hangs inside the system
};

void fields(auto& visit, Is<AskedLibrary> auto& library) {
  visit("state", library.state);
  visit("library", library.library);
  visit("detail", library.detail);
  visit("last_call", library.last_call);
  visit("last_device", library.last_device);
  visit("fault", library.fault);
  visit("left_behind", library.left_behind);
}

enum class DriverModel : std::uint8_t { wddm, tcc, mcdm };  // nvmlDriverModel_t
enum class ComputeMode : std::uint8_t {                     // nvmlComputeMode_t
  shared,                                                   // NVML_COMPUTEMODE_DEFAULT
  exclusive_thread,
  prohibited,
  exclusive_process,
};
enum class VirtualizationMode : std::uint8_t {  // nvmlGpuVirtualizationMode_t
  none,
  passthrough,
  vgpu,
  host_vgpu,
  host_vsga,
};

constexpr auto enum_names(DriverModel) {
  return std::to_array<std::string_view>({"wddm", "tcc", "mcdm"});
}
constexpr auto enum_names(ComputeMode) {
  return std::to_array<std::string_view>(
      {"default", "exclusive_thread", "prohibited", "exclusive_process"});
}
constexpr auto enum_names(VirtualizationMode) {
  return std::to_array<std::string_view>({"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"});
}

struct ComputeProcess {
  std::uint32_t pid = 0;            // in a container: of the host
  Fact<std::uint64_t> used_memory;  // bytes; absent under WDDM
  Fact<std::string> name;           // the program with its path; absent for another user's
};

void fields(auto& visit, Is<ComputeProcess> auto& process) {
  visit("pid", process.pid);
  visit("used_memory", process.used_memory);
  visit("name", process.name);
}

/// One card as NVML tells it. A value is absent where the card, the driver or the system does not
/// have it (NVML's errors 3 and 13), unreadable with the error's name otherwise.
struct NvmlDevice {
  std::uint32_t index = 0;         // NVML's, by PCI bus id; nvidia-smi's number
  std::optional<CallFault> fault;  // no handle: lost (15), no permission (4) ...; all else is unset
  Fact<std::string> name;          // "NVIDIA GeForce RTX 3090"
  Fact<std::string> uuid;          // "GPU-..."
  Fact<std::string> serial;
  Fact<std::string> pci_bus_id;            // "00000000:01:00.0"
  Fact<std::uint32_t> pci_device_id;       // device in the upper half, vendor in the lower
  Fact<std::uint32_t> pci_subsystem_id;    // likewise
  Fact<std::uint32_t> minor_number;        // Linux: N of /dev/nvidiaN
  Fact<std::string> compute_capability;    // "8.6"
  Fact<std::string> architecture;          // "Ampere"; "16" where the number is new
  Fact<DriverModel> driver_model;          // Windows
  Fact<DriverModel> driver_model_pending;  // after the next start
  Fact<bool> persistence_mode;             // Linux
  Fact<bool> display_active;
  Fact<ComputeMode> compute_mode;
  Fact<bool> mig_mode;
  Fact<bool> mig_mode_pending;
  Fact<bool> ecc_mode;
  Fact<bool> ecc_mode_pending;
  Fact<VirtualizationMode> virtualization_mode;
  Fact<std::uint64_t> memory_total;  // bytes, of the card's own memory
  Fact<std::uint64_t> memory_used;   // without memory_reserved where that is told
  Fact<std::uint64_t> memory_free;
  Fact<std::uint64_t> memory_reserved;    // by driver and firmware; told since R510
  Fact<std::uint64_t> bar1_total;         // bytes
  Fact<std::int32_t> temperature;         // degrees Celsius
  Fact<std::uint32_t> power_usage;        // milliwatts
  Fact<std::uint32_t> power_limit;        // milliwatts, the one in force
  Fact<std::uint32_t> performance_state;  // 0 (P0, fastest) to 15
  Fact<std::uint32_t> gpu_utilization;    // percent
  Fact<std::uint32_t> memory_utilization;
  Fact<std::uint32_t> clock_graphics;  // MHz
  Fact<std::uint32_t> clock_sm;
  Fact<std::uint32_t> clock_memory;
  Fact<std::uint32_t> clock_video;
  /// Why it runs below its clocks, nvmlClocksEventReason*: 0x1 idle, 0x2 application clocks, 0x4
  /// software power cap, 0x8 hardware slowdown, 0x10 sync boost, 0x20 software thermal, 0x40
  /// hardware thermal, 0x80 power brake, 0x100 display clock.
  Fact<std::uint64_t> clocks_event_reasons;
  Fact<std::uint32_t> pcie_generation;      // now: an idle card goes down to 1
  Fact<std::uint32_t> pcie_generation_max;  // of card and slot together
  Fact<std::uint32_t> pcie_width;
  Fact<std::uint32_t> pcie_width_max;
  Fact<std::string> vbios_version;
  Fact<std::string> gsp_firmware_version;  // absent where the GSP is off
  Fact<std::uint32_t> compute_process_count;
  Fact<std::vector<ComputeProcess>> compute_processes;  // the first 64
};

void fields(auto& visit, Is<NvmlDevice> auto& device) {
  visit("index", device.index);
  visit("fault", device.fault);
  visit("name", device.name);
  visit("uuid", device.uuid);
  visit("serial", device.serial);
  visit("pci_bus_id", device.pci_bus_id);
  visit("pci_device_id", device.pci_device_id);
  visit("pci_subsystem_id", device.pci_subsystem_id);
  visit("minor_number", device.minor_number);
  visit("compute_capability", device.compute_capability);
  visit("architecture", device.architecture);
  visit("driver_model", device.driver_model);
  visit("driver_model_pending", device.driver_model_pending);
  visit("persistence_mode", device.persistence_mode);
  visit("display_active", device.display_active);
  visit("compute_mode", device.compute_mode);
  visit("mig_mode", device.mig_mode);
  visit("mig_mode_pending", device.mig_mode_pending);
  visit("ecc_mode", device.ecc_mode);
  visit("ecc_mode_pending", device.ecc_mode_pending);
  visit("virtualization_mode", device.virtualization_mode);
  visit("memory_total", device.memory_total);
  visit("memory_used", device.memory_used);
  visit("memory_free", device.memory_free);
  visit("memory_reserved", device.memory_reserved);
  visit("bar1_total", device.bar1_total);
  visit("temperature", device.temperature);
  visit("power_usage", device.power_usage);
  visit("power_limit", device.power_limit);
  visit("performance_state", device.performance_state);
  visit("gpu_utilization", device.gpu_utilization);
  visit("memory_utilization", device.memory_utilization);
  visit("clock_graphics", device.clock_graphics);
  visit("clock_sm", device.clock_sm);
  visit("clock_memory", device.clock_memory);
  visit("clock_video", device.clock_video);
  visit("clocks_event_reasons", device.clocks_event_reasons);
  visit("pcie_generation", device.pcie_generation);
  visit("pcie_generation_max", device.pcie_generation_max);
  visit("pcie_width", device.pcie_width);
  visit("pcie_width_max", device.pcie_width_max);
  visit("vbios_version", device.vbios_version);
  visit("gsp_firmware_version", device.gsp_firmware_version);
  visit("compute_process_count", device.compute_process_count);
  visit("compute_processes", device.compute_processes);
}

struct NvmlAnswers {
  AskedLibrary library;
  Fact<std::string> driver_version;         // "570.133.07"; of the kernel module where that runs
  Fact<std::string> nvml_version;           // "12.570.133.07"
  Fact<std::uint32_t> cuda_driver_version;  // 1000 * major + 10 * minor: 12080
  Fact<std::uint32_t> device_count;         // those that this user may not use are not counted
  std::vector<NvmlDevice> devices;          // at most 64
};

void fields(auto& visit, Is<NvmlAnswers> auto& answers) {
  visit("library", answers.library);
  visit("driver_version", answers.driver_version);
  visit("nvml_version", answers.nvml_version);
  visit("cuda_driver_version", answers.cuda_driver_version);
  visit("device_count", answers.device_count);
  visit("devices", answers.devices);
}

/// One card as the CUDA driver numbers it, after CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
struct CudaDevice {
  std::uint32_t index = 0;
  std::optional<CallFault> fault;  // no handle; all else is unset
  Fact<std::string> name;
  Fact<std::string> compute_capability;  // "8.6"
  Fact<std::uint64_t> memory_total;      // bytes
  Fact<std::string> uuid;                // "GPU-..." in NVML's form; of a MIG part that part's
  Fact<std::string> pci_bus_id;          // "0000:01:00.0"
};

void fields(auto& visit, Is<CudaDevice> auto& device) {
  visit("index", device.index);
  visit("fault", device.fault);
  visit("name", device.name);
  visit("compute_capability", device.compute_capability);
  visit("memory_total", device.memory_total);
  visit("uuid", device.uuid);
  visit("pci_bus_id", device.pci_bus_id);
}

struct CudaDriverAnswers {
  AskedLibrary library;
  Fact<std::uint32_t> cuda_driver_version;  // 12080; told even where cuInit fails
  Fact<std::uint32_t> device_count;
  std::vector<CudaDevice> devices;  // at most 64
};

void fields(auto& visit, Is<CudaDriverAnswers> auto& answers) {
  visit("library", answers.library);
  visit("cuda_driver_version", answers.cuda_driver_version);
  visit("device_count", answers.device_count);
  visit("devices", answers.devices);
}

struct DriverAnswers {
  NvmlAnswers nvml;
  CudaDriverAnswers cuda;
};

void fields(auto& visit, Is<DriverAnswers> auto& answers) {
  visit("nvml", answers.nvml);
  visit("cuda", answers.cuda);
}

}  // namespace plumb

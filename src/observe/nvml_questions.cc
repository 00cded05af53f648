// SPDX-License-Identifier: Apache-2.0
// NVML's questions, each value a line. A call that came with a later driver is asked under its
// older name, too, where that means the same.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "observe/driver_asker.h"
#include "os/nvml_api.h"

namespace plumb {
namespace {

using nlohmann::json;
using nvml::Device;
using nvml::Return;
using Text = std::array<char, nvml::kLongestText>;

struct Question {
  const char* fact;
  const char* call;
};

std::string text_of(const Text& text) {
  return {text.begin(), std::ranges::find(text, '\0')};
}

void ask_text(DriverAsker& ask, Device device, Question question) {
  Text text{};
  const Return code = ask.call<nvml::GetText>({question.call}, device, text.data(),
                                              static_cast<unsigned>(text.size()));
  ask.tell_fact(question.fact, code, text_of(text));
}

void ask_number(DriverAsker& ask, Device device, Question question) {
  unsigned value = 0;
  const Return code = ask.call<nvml::GetNumber>({question.call}, device, &value);
  ask.tell_fact(question.fact, code, value);
}

void ask_system(DriverAsker& ask) {
  Text text{};
  const auto size = static_cast<unsigned>(text.size());
  // These two do not need nvmlInit: with a mismatch of versions they are all that is told.
  Return code = ask.call<nvml::GetSystemText>({"nvmlSystemGetNVMLVersion"}, text.data(), size);
  ask.tell_fact("nvml_version", code, text_of(text));
  int version = 0;
  code = ask.call<nvml::GetSystemInt>(
      {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"}, &version);
  ask.tell_fact("cuda_driver_version", code, version);
}

void ask_identity(DriverAsker& ask, Device device) {
  for (const Question question :
       {Question{"name", "nvmlDeviceGetName"}, Question{"uuid", "nvmlDeviceGetUUID"},
        Question{"serial", "nvmlDeviceGetSerial"}}) {
    ask_text(ask, device, question);
  }
  nvml::PciInfo pci{};
  Return code = ask.call<nvml::GetStruct<nvml::PciInfo>>({"nvmlDeviceGetPciInfo_v3"}, device, &pci);
  pci.bus_id[sizeof pci.bus_id - 1] = '\0';
  ask.tell_fact("pci_bus_id", code, static_cast<const char*>(pci.bus_id));
  ask.tell_fact("pci_device_id", code, pci.pci_device_id);
  ask.tell_fact("pci_subsystem_id", code, pci.pci_subsystem_id);
  ask_number(ask, device, {"minor_number", "nvmlDeviceGetMinorNumber"});
  int major = 0;
  int minor = 0;
  code = ask.call<nvml::GetTwoInts>({"nvmlDeviceGetCudaComputeCapability"}, device, &major, &minor);
  ask.tell_fact("compute_capability", code, std::to_string(major) + "." + std::to_string(minor));
  ask_number(ask, device, {"architecture", "nvmlDeviceGetArchitecture"});
  ask_text(ask, device, {"vbios_version", "nvmlDeviceGetVbiosVersion"});
  Text firmware{};
  code = ask.call<nvml::GetShortText>({"nvmlDeviceGetGspFirmwareVersion"}, device, firmware.data());
  ask.tell_fact("gsp_firmware_version", code, text_of(firmware));
}

void ask_modes(DriverAsker& ask, Device device) {
  unsigned now = 0;
  unsigned pending = 0;
  Return code = ask.call<nvml::GetTwoNumbers>(
      {"nvmlDeviceGetDriverModel_v2", "nvmlDeviceGetDriverModel"}, device, &now, &pending);
  ask.tell_fact("driver_model", code, now);
  ask.tell_fact("driver_model_pending", code, pending);
  for (const Question question :
       {Question{"persistence_mode", "nvmlDeviceGetPersistenceMode"},
        Question{"display_active", "nvmlDeviceGetDisplayActive"},
        Question{"compute_mode", "nvmlDeviceGetComputeMode"},
        Question{"virtualization_mode", "nvmlDeviceGetVirtualizationMode"}}) {
    ask_number(ask, device, question);
  }
  code = ask.call<nvml::GetTwoNumbers>({"nvmlDeviceGetMigMode"}, device, &now, &pending);
  ask.tell_fact("mig_mode", code, now);
  ask.tell_fact("mig_mode_pending", code, pending);
  code = ask.call<nvml::GetTwoNumbers>({"nvmlDeviceGetEccMode"}, device, &now, &pending);
  ask.tell_fact("ecc_mode", code, now);
  ask.tell_fact("ecc_mode_pending", code, pending);
}

void ask_memory(DriverAsker& ask, Device device) {
  nvml::MemoryV2 memory{};
  memory.version = nvml::struct_version<nvml::MemoryV2>(2);
  Return code =
      ask.call<nvml::GetStruct<nvml::MemoryV2>>({"nvmlDeviceGetMemoryInfo_v2"}, device, &memory);
  ask.tell_fact("memory_reserved", code, memory.reserved);
  if (code != nvml::kSuccess) {
    nvml::Memory old{};
    code = ask.call<nvml::GetStruct<nvml::Memory>>({"nvmlDeviceGetMemoryInfo"}, device, &old);
    memory.total = old.total;
    memory.used = old.used;
    memory.free = old.free;
  }
  ask.tell_fact("memory_total", code, memory.total);
  ask.tell_fact("memory_used", code, memory.used);
  ask.tell_fact("memory_free", code, memory.free);
  nvml::Bar1Memory bar1{};
  code =
      ask.call<nvml::GetStruct<nvml::Bar1Memory>>({"nvmlDeviceGetBAR1MemoryInfo"}, device, &bar1);
  ask.tell_fact("bar1_total", code, bar1.total);
}

void ask_temperature(DriverAsker& ask, Device device) {
  // The plain call leaves with CUDA 14; it cannot tell a temperature below zero.
  nvml::TemperatureV1 precise{};
  precise.version = nvml::struct_version<nvml::TemperatureV1>(1);
  Return code = ask.call<nvml::GetStruct<nvml::TemperatureV1>>({"nvmlDeviceGetTemperatureV"},
                                                               device, &precise);
  if (code != nvml::kSuccess) {
    unsigned value = 0;
    code = ask.call<nvml::GetOfKind>({"nvmlDeviceGetTemperature"}, device, nvml::kTemperatureOfGpu,
                                     &value);
    precise.temperature = static_cast<std::int32_t>(value);
  }
  ask.tell_fact("temperature", code, precise.temperature);
}

void ask_state(DriverAsker& ask, Device device) {
  ask_temperature(ask, device);
  for (const Question question :
       {Question{"power_usage", "nvmlDeviceGetPowerUsage"},
        Question{"power_limit", "nvmlDeviceGetEnforcedPowerLimit"},
        Question{"performance_state", "nvmlDeviceGetPerformanceState"},
        Question{"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
        Question{"pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration"},
        Question{"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"},
        Question{"pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth"}}) {
    ask_number(ask, device, question);
  }
  nvml::Utilization utilization{};
  Return code = ask.call<nvml::GetStruct<nvml::Utilization>>({"nvmlDeviceGetUtilizationRates"},
                                                             device, &utilization);
  ask.tell_fact("gpu_utilization", code, utilization.gpu);
  ask.tell_fact("memory_utilization", code, utilization.memory);
  constexpr std::array<std::pair<const char*, nvml::Clock>, 4> kClocks{
      {{"clock_graphics", nvml::Clock::graphics},
       {"clock_sm", nvml::Clock::sm},
       {"clock_memory", nvml::Clock::memory},
       {"clock_video", nvml::Clock::video}}};
  for (const auto& [fact, clock] : kClocks) {
    unsigned value = 0;
    code = ask.call<nvml::GetOfKind>({"nvmlDeviceGetClockInfo"}, device, static_cast<int>(clock),
                                     &value);
    ask.tell_fact(fact, code, value);
  }
  unsigned long long reasons = 0;
  code = ask.call<nvml::GetBits>(
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
      device, &reasons);
  ask.tell_fact("clocks_event_reasons", code, reasons);
}

void ask_processes(DriverAsker& ask, Device device) {
  constexpr unsigned kMostListed = 1024;
  std::vector<nvml::ProcessInfo> list(kMostListed);
  unsigned count = kMostListed;
  const Return code = ask.call<nvml::GetProcesses>(
      {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"},
      device, &count, list.data());
  // Too many for the list are still counted.
  ask.tell_fact("compute_process_count", code == nvml::kInsufficientSize ? 0 : code, count);
  const std::string list_call = ask.last_call();
  list.resize(code == nvml::kSuccess ? std::min(count, kMostComputeProcesses) : 0);
  json told = json::array();
  for (const nvml::ProcessInfo& process : list) {
    json entry = {{"pid", process.pid}};
    if (process.used_memory != nvml::kNotAvailable) {
      entry["used_memory"] = process.used_memory;
    }
    Text name{};
    if (ask.call<nvml::GetProcessName>({"nvmlSystemGetProcessName"}, process.pid, name.data(),
                                       static_cast<unsigned>(name.size())) == nvml::kSuccess) {
      entry["name"] = text_of(name);
    }
    told.push_back(std::move(entry));
  }
  ask.tell_fact_of(list_call, "compute_processes", code, std::move(told));
}

}  // namespace

void ask_nvml(DriverAsker& ask) {
  const Return started = ask.call<nvml::NoArguments>({"nvmlInit_v2", "nvmlInit"});
  ask.tell_init(started);
  ask_system(ask);
  if (started == nvml::kSuccess) {
    Text version{};
    Return code = ask.call<nvml::GetSystemText>({"nvmlSystemGetDriverVersion"}, version.data(),
                                                static_cast<unsigned>(version.size()));
    ask.tell_fact("driver_version", code, text_of(version));
    unsigned count = 0;
    code = ask.call<nvml::GetSystemCount>({"nvmlDeviceGetCount_v2"}, &count);
    ask.tell_fact("device_count", code, count);
    count = code == nvml::kSuccess ? std::min(count, kMostDriverDevices) : 0;
    for (unsigned index = 0; index < count; ++index) {
      ask.set_device(index);
      Device device = nullptr;
      code = ask.call<nvml::GetHandle>({"nvmlDeviceGetHandleByIndex_v2"}, index, &device);
      if (code != nvml::kSuccess) {
        ask.tell_no_handle(code);
        continue;
      }
      ask_identity(ask, device);
      ask_modes(ask, device);
      ask_memory(ask, device);
      ask_state(ask, device);
      ask_processes(ask, device);
    }
  }
  // No nvmlShutdown: the process ends now, and that call is one more that might not come back.
  ask.tell_done();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// What the driver's own libraries said when they were asked, or that they did not say anything.

#include "judge/driver_answers.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

// nvml.h, nvmlReturn_t
constexpr int kNoPermission = 4, kNotLoaded = 9, kLibraryNotFound = 12, kLost = 15,
              kResetRequired = 16, kBlocked = 17, kMismatch = 18;

std::string library_name(const AskedLibrary& library) {
  const std::string name = base_name(library.library);
  return name.empty() ? "NVIDIA's library" : name;
}

Finding driver_finding(const char* code, std::string summary, std::string why) {
  Finding finding;
  finding.code = code;
  finding.layer = "driver";
  finding.summary = std::move(summary);
  finding.why = std::move(why);
  return finding;
}

Evidence call_evidence(const CallFault& fault, const AskedLibrary& library) {
  const std::string name = fault.code_name.empty() ? "" : " (" + fault.code_name + ")";
  return {fault.call + " gives error " + std::to_string(fault.code) + name, library.library};
}

Finding init_failed(const MachineFacts& machine, const AskedLibrary& library) {
  const CallFault& fault = *library.fault;
  Finding finding;
  switch (fault.code) {
    case kNotLoaded:
      finding = driver_finding("driver.not_loaded", "the driver does not run: it is not loaded",
                               "NVIDIA's library finds no kernel module to talk to.");
      break;
    case kLibraryNotFound:
      finding = driver_finding("driver.incomplete", "a part of the driver is missing",
                               "NVIDIA's library does not find another one of the same driver.");
      break;
    case kMismatch:
      finding = driver_finding("driver.library_mismatch",
                               "the driver does not run: kernel module and libraries differ",
                               "The driver was updated since the last start; the old kernel module "
                               "is still loaded.");
      finding.next.push_back({"restart the machine", "", false});
      break;
    case kBlocked:
      finding = driver_finding("container.device_revoked",
                               "the driver is blocked: the system does not let this process use it",
                               "The device files are there, and opening them is forbidden: by a "
                               "control group of a container or of the batch system, mostly.");
      finding.next.push_back({"start the container or the job anew, with the GPU", "", false});
      break;
    case kNoPermission:
      finding = driver_finding("os.permission", "this user may not use the card",
                               "The driver runs and refuses this user.");
      finding.next.push_back({"ls -l /dev/nvidia*", "who may", true});
      break;
    case kLost:
    case kResetRequired:
      finding = driver_finding("gpu.faulty", "the card has stopped working",
                               "The driver has lost it since the last start.");
      finding.next.push_back({"restart the machine", "switch it off for a moment", false});
      break;
    default:
      finding = driver_finding(
          "driver.bug", "the driver does not start: it gives error " + std::to_string(fault.code),
          "Its libraries load, and their first call fails.");
      finding.next.push_back({"restart the machine", "", false});
  }
  finding.evidence.push_back(call_evidence(fault, library));
  if (finding.next.empty()) {
    finding.next.push_back({machine.system.name == "windows"
                                ? "install NVIDIA's driver anew from https://www.nvidia.com/drivers"
                                : "install NVIDIA's driver anew, as your distribution packages it",
                            "", false});
    finding.next.push_back({"restart the machine", "", false});
  }
  return finding;
}

/// Of a library that gave no answer to the end; none if it did, or was not asked.
std::optional<Finding> fault_of_library(const MachineFacts& machine, const AskedLibrary& library) {
  const std::string name = library_name(library);
  const std::string call = library.last_call.empty() ? "being loaded" : library.last_call;
  Finding finding;
  switch (library.state) {
    case AskState::not_tried:
    case AskState::ok:
    case AskState::no_answer:
      return std::nullopt;
    case AskState::init_failed:
      return library.fault ? std::optional(init_failed(machine, library)) : std::nullopt;
    case AskState::load_failed:
      if (!machine.driver.library) {
        return std::nullopt;  // that it is not there is told by the files
      }
      finding =
          driver_finding("driver.incomplete", "the driver's library cannot be loaded: " + name,
                         "Programs that use the GPU load it first.");
      finding.evidence.push_back({library.detail, library.library});
      break;
    case AskState::crashed:
      finding = driver_finding("driver.bug", "the driver crashes: " + name + " in " + call,
                               "plumb asked it in a process of its own, and that process crashed.");
      finding.evidence.push_back({library.detail, library.library});
      break;
    case AskState::timed_out:
      finding = driver_finding("driver.bug", "the driver hangs: " + name + " in " + call,
                               "plumb asked it in a process of its own and ended that process at "
                               "the limit; the card or its driver no longer answers.");
      finding.evidence.push_back(
          {library.detail.empty() ? "no answer" : library.detail, library.library});
      break;
  }
  finding.next.push_back({"restart the machine", "", false});
  if (machine.system.name == "linux" && !machine.system.wsl) {
    finding.next.push_back({"sudo dmesg | grep -i -e nvrm -e xid", "what the kernel says", true});
  }
  return finding;
}

std::optional<Finding> fault_of_devices(const NvmlAnswers& nvml) {
  const auto lost = std::ranges::find_if(
      nvml.devices, [](const NvmlDevice& device) { return device.fault.has_value(); });
  if (lost == nvml.devices.end()) {
    return std::nullopt;
  }
  const bool others = std::ranges::any_of(
      nvml.devices, [](const NvmlDevice& device) { return !device.fault.has_value(); });
  const std::string number = std::to_string(lost->index);
  Finding finding = driver_finding("gpu.faulty", "card " + number + " has stopped working",
                                   "The driver knows the card and cannot reach it.");
  finding.layer = "hardware";
  finding.severity = others ? Severity::warning : Severity::error;
  finding.evidence.push_back(call_evidence(*lost->fault, nvml.library));
  finding.next.push_back({"restart the machine", "switch it off for a moment", false});
  return finding;
}

}  // namespace

bool needs_driver_answers(const MachineFacts& machine, const Catalog& catalog) {
  const DriverFacts& driver = machine.driver;
  if (machine.system.wsl) {
    return driver.library.value.has_value();  // the bus shows no card
  }
  const bool driven = driver.module_version.value || machine.system.name == "windows";
  if (machine.cards.empty() || !driven || !driver.library) {
    return false;
  }
  return !driver.version || std::ranges::any_of(machine.cards, [&](const SeenCard& card) {
    return catalog.find_gpu_by_pci(card.device) == nullptr;
  });
}

std::optional<Finding> judge_driver_answers(const MachineFacts& machine) {
  if (!machine.driver_answers) {
    return std::nullopt;
  }
  std::optional<Finding> fault = fault_of_library(machine, machine.driver_answers->nvml.library);
  // Without NVML programs still run; they need the CUDA driver.
  if (fault && machine.driver_answers->cuda.library.state == AskState::ok) {
    fault->severity = Severity::warning;
  }
  if (!fault) {
    fault = fault_of_library(machine, machine.driver_answers->cuda.library);
  }
  return fault ? fault : fault_of_devices(machine.driver_answers->nvml);
}

std::vector<Card> cards_of_answers(const MachineFacts& machine, const Catalog& catalog) {
  std::vector<Card> cards;
  if (!machine.driver_answers) {
    return cards;
  }
  for (const NvmlDevice& device : machine.driver_answers->nvml.devices) {
    const auto device_id = static_cast<std::uint16_t>(device.pci_device_id.value.value_or(0) >> 16);
    const auto cc = ComputeCapability::parse(device.compute_capability.value.value_or(""));
    const GpuModel* model = catalog.find_gpu_by_pci(device_id);
    if (model != nullptr && machine.cards.empty()) {
      cards.push_back({model->name, model->cc});
    } else if (cc && model == nullptr) {
      std::string name = device.name.value.value_or("card");
      constexpr std::string_view kMaker = "NVIDIA ";
      cards.push_back({name.starts_with(kMaker) ? name.substr(kMaker.size()) : name, *cc});
    }
  }
  return cards;
}

}  // namespace plumb

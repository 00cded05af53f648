// SPDX-License-Identifier: Apache-2.0
// /proc/driver/nvidia prints what the module keeps in memory, so reading it wakes no card.
#include "observe/nvidia_modules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "observe/driver_version.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 8> kModules = {
    "nvidia",         "nvidia_uvm", "nvidia_modeset", "nvidia_drm",
    "nvidia_peermem", "nouveau",    "nova_core",      "nova"};
constexpr std::array<std::string_view, 19> kParameters = {"ModifyDeviceFiles",
                                                          "DeviceFileUID",
                                                          "DeviceFileGID",
                                                          "DeviceFileMode",
                                                          "NvLinkDisable",
                                                          "RmProfilingAdminOnly",
                                                          "PreserveVideoMemoryAllocations",
                                                          "EnableS0ixPowerManagement",
                                                          "DynamicPowerManagement",
                                                          "RegisterPCIDriver",
                                                          "EnableResizableBar",
                                                          "EnableGpuFirmware",
                                                          "OpenRmEnableUnsupportedGpus",
                                                          "EnableUserNUMAManagement",
                                                          "CoherentGPUMemoryMode",
                                                          "RegistryDwords",
                                                          "RegistryDwordsPerDevice",
                                                          "GpuBlacklist",
                                                          "ExcludedGpus"};
constexpr std::size_t kMostCards = 256;
constexpr std::size_t kMostInstances = 4096;

/// "nvidia 14299136 - - Live 0x0 (O)" -> nvidia.
std::vector<std::string> names_in_proc_modules(const Host& host) {
  std::vector<std::string> names;
  const auto text = read_text_file(host.at("/proc/modules"), 4 << 20);
  if (text) {
    for (const std::string_view line : split(*text, '\n')) {
      names.emplace_back(line.substr(0, line.find(' ')));
    }
  }
  return names;
}

/// "gpu0" after its prefix.
std::optional<std::uint64_t> number_after(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? parse_decimal(name.substr(prefix.size())) : std::nullopt;
}

}  // namespace

std::vector<LoadedModule> observe_modules(const Host& host) {
  std::vector<LoadedModule> modules;
  const std::vector<std::string> listed = names_in_proc_modules(host);
  for (const std::string_view name : kModules) {
    const std::string folder = "/sys/module/" + std::string(name);
    const bool in_sys = is_folder(host.at(folder));
    // A container may hide one of the two.
    if (!in_sys && std::ranges::find(listed, name) == listed.end()) {
      continue;
    }
    modules.push_back({std::string(name), line_fact(host, folder + "/version"),
                       line_fact(host, folder + "/initstate"), line_fact(host, folder + "/taint"),
                       in_sys ? folder : "/proc/modules"});
  }
  return modules;
}

Fact<ModuleFlavour> observe_flavour(const Host& host, const std::vector<LoadedModule>& modules) {
  const std::string path = "/proc/driver/nvidia/version";
  const auto text = read_text_file(host.at(path), 64 << 10);
  if (const auto version = text ? parse_nvrm_version(*text) : std::nullopt) {
    return Fact<ModuleFlavour>::present(
        version->open ? ModuleFlavour::open : ModuleFlavour::proprietary, path);
  }
  const auto nvidia = std::ranges::find(modules, "nvidia", &LoadedModule::name);
  if (nvidia != modules.end() && nvidia->taint) {
    return Fact<ModuleFlavour>::present(nvidia->taint.value->find('P') == std::string::npos
                                            ? ModuleFlavour::open
                                            : ModuleFlavour::proprietary,
                                        nvidia->taint.origin);
  }
  return text ? Fact<ModuleFlavour>::absent(path)
              : fact_of_error<ModuleFlavour>(text.error(), path);
}

std::map<std::string, std::string> parse_parameters(std::string_view text) {
  std::map<std::string, std::string> parameters;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    std::string_view value = trim(line.substr(colon + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    parameters.emplace(trim(line.substr(0, colon)), value);
  }
  return parameters;
}

Fact<std::map<std::string, std::string>> observe_parameters(const Host& host) {
  using Parameters = std::map<std::string, std::string>;
  const std::string path = "/proc/driver/nvidia/params";
  const auto text = read_text_file(host.at(path), 256 << 10);
  if (!text) {
    return fact_of_error<Parameters>(text.error(), path);
  }
  Parameters parameters = parse_parameters(*text);
  std::erase_if(parameters, [](const auto& parameter) {
    return std::ranges::find(kParameters, parameter.first) == kParameters.end();
  });
  return Fact<Parameters>::present(std::move(parameters), path);
}

ModuleCard parse_card_information(std::string_view text, const std::string& path) {
  const std::map<std::string, std::string> lines = parse_parameters(text);
  // Not known yet: "GPU-????????-...", "??.??.??.??.??", "N/A", "Unknown".
  const auto known = [&](const char* name) {
    const auto hit = lines.find(name);
    return hit != lines.end() && !hit->second.empty() && hit->second != "N/A" &&
                   hit->second != "Unknown" && hit->second.find('?') == std::string::npos
               ? Fact<std::string>::present(hit->second, path)
               : Fact<std::string>::absent(path);
  };
  ModuleCard card;
  card.origin = path;
  card.model = known("Model");
  card.uuid = known("GPU UUID");
  card.video_bios = known("Video BIOS");
  card.firmware = known("GPU Firmware");
  const Fact<std::string> minor = known("Device Minor");
  const auto number = minor ? parse_decimal(*minor.value) : std::nullopt;
  card.minor =
      number ? Fact<std::uint64_t>::present(*number, path) : Fact<std::uint64_t>::absent(path);
  const Fact<std::string> excluded = known("GPU Excluded");
  card.excluded =
      excluded ? Fact<bool>::present(*excluded.value == "Yes", path) : Fact<bool>::absent(path);
  return card;
}

std::vector<ModuleCard> observe_module_cards(const Host& host) {
  const std::string folder = "/proc/driver/nvidia/gpus";
  std::vector<ModuleCard> cards;
  for (const DirectoryEntry& entry : entries_of(host, folder)) {
    if (cards.size() >= kMostCards) {
      break;
    }
    const std::string path = folder + "/" + entry.name + "/information";
    const auto text = read_text_file(host.at(path), 64 << 10);
    ModuleCard card = parse_card_information(text.value_or(""), path);
    if (!text) {
      card.model = fact_of_error<std::string>(text.error(), path);
    }
    card.location = entry.name;
    cards.push_back(std::move(card));
  }
  return cards;
}

Fact<std::vector<MigInstance>> observe_mig(const Host& host) {
  using Instances = std::vector<MigInstance>;
  const std::string folder = "/proc/driver/nvidia/capabilities";
  const auto cards = list_directory(host.at(folder));
  if (!cards) {
    return fact_of_error<Instances>(cards.error(), folder);
  }
  Instances instances;
  for (const DirectoryEntry& card : *cards) {
    const auto minor = number_after(card.name, "gpu");
    if (!minor) {
      continue;
    }
    const std::string mig = folder + "/" + card.name + "/mig";
    for (const DirectoryEntry& entry : entries_of(host, mig)) {
      const auto number = number_after(entry.name, "gi");
      if (!number || instances.size() >= kMostInstances) {
        continue;
      }
      MigInstance instance{*minor, *number, {}, mig + "/" + entry.name};
      for (const DirectoryEntry& part : entries_of(host, instance.origin)) {
        const auto compute = number_after(part.name, "ci");
        if (compute && instance.compute_instances.size() < kMostInstances) {
          instance.compute_instances.push_back(*compute);
        }
      }
      instances.push_back(std::move(instance));
    }
  }
  return Fact<Instances>::present(std::move(instances), folder);
}

}  // namespace plumb

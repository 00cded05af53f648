// SPDX-License-Identifier: Apache-2.0
#include "observe/machine.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "observe/cards.h"
#include "observe/cuda_software.h"
#include "observe/distributions.h"
#include "observe/driver_state.h"
#include "observe/driver_version.h"
#include "observe/frameworks.h"
#include "observe/load_faults.h"
#include "observe/package_details.h"
#include "observe/pci_facts.h"
#include "observe/pip_configuration.h"
#include "observe/process_libraries.h"
#include "observe/python_environment.h"
#include "observe/python_world.h"
#include "observe/system_state.h"
#include "os/parallel.h"

namespace plumb {

namespace {

/// What the driver itself wrote into the registry when it started, where no file tells.
void complete_windows_driver(MachineFacts& machine) {
  for (const GpuDevice& device : machine.hardware.devices) {
    if (device.is_nvidia && device.display_key && device.display_key->release &&
        !machine.driver.version) {
      machine.driver.version = device.display_key->release;
    }
  }
}

/// Those for the whole machine; an environment's own come with its packages.
std::vector<Toolkit> toolkits_of(const CudaSoftware& cuda) {
  std::vector<Toolkit> toolkits;
  for (const CudaToolkit& toolkit : cuda.cuda.toolkits) {
    if (toolkit.layout != ToolkitLayout::wheel && toolkit.layout != ToolkitLayout::conda) {
      toolkits.push_back({toolkit.version, toolkit.path, toolkit.origin});
    }
  }
  return toolkits;
}

/// What the environment's frameworks hold and load.
void observe_packages(const Host& host, const PythonEnvironment& python, MachineFacts& machine,
                      std::vector<ProcessLibraries>* processes) {
  if (python.kind == EnvironmentKind::conda) {
    machine.conda_packages = list_conda_packages(python.root);
  }
  machine.frameworks = observe_frameworks(machine.distributions, machine.errors);
  observe_loading(host, python, machine.distributions, machine.frameworks, machine.errors,
                  processes);
}

}  // namespace

MachineFacts observe_machine(const Host& host, const std::string& environment,
                             std::vector<ProcessLibraries>* processes) {
  MachineFacts machine;
  machine.system = observe_system(host);
  machine.hardware = observe_hardware(host);
  machine.cards_fault = machine.hardware.fault;
  machine.cards = nvidia_cards(machine.hardware);
  std::ranges::copy(machine.hardware.damaged, std::back_inserter(machine.errors));
  const std::vector<CachedLibrary> cache = read_library_cache(host);
  machine.driver = observe_driver(host, machine.system, cache);
  complete_windows_driver(machine);
  machine.driver_state = observe_driver_state(host, machine.system.wsl, cache);
  PythonSearch search = find_python_environment(host, environment);
  machine.python = std::move(search.environment);
  machine.store_stub = search.store_stub;
  const PythonEnvironment* python = machine.python ? &*machine.python.value : nullptr;
  if (python != nullptr) {
    machine.distributions = list_distributions(python->site_packages, machine.errors);
    read_requirements(machine.distributions);
  }
  ProcessLibraries plain;
  // None of them looks at what another one writes.
  const std::function<void()> probes[] = {
      [&] {
        if (python != nullptr) {
          observe_packages(host, *python, machine, processes);
        }
      },
      [&] {
        if (python != nullptr) {
          machine.packages = observe_package_details(host, *python, machine.distributions);
        }
      },
      [&] {
        if (processes != nullptr) {
          plain = plain_libraries(host, python);
        }
      },
      [&] { machine.python_world = observe_python_world(host); },
      [&] {
        machine.system_state = observe_system_state(host, python != nullptr ? python->root : "");
      },
      [&] {
        std::vector<std::string> folders;
        if (python != nullptr) {
          folders = python->site_packages;
          folders.push_back(python->root);
        }
        machine.cuda = observe_cuda_software(host, cache, folders);
      },
      [&] { machine.pip = observe_pip_configuration(host, python); }};
  parallel_for(std::size(probes), [&](std::size_t i) { probes[i](); });
  machine.toolkits = toolkits_of(machine.cuda);
  if (processes != nullptr) {
    processes->push_back(std::move(plain));
  }
  return machine;
}

Snapshot take_snapshot(const Host& host, const std::string& environment) {
  Snapshot snapshot;
  snapshot.machine = observe_machine(host, environment, &snapshot.processes);
  const MachineFacts& machine = snapshot.machine;
  std::vector<LibraryChoice*> choices;
  for (ProcessLibraries& process : snapshot.processes) {
    for (LibraryChoice& choice : process.choices) {
      choices.push_back(&choice);
    }
  }
  add_versions(host, machine.python ? machine.python.value->system : host.system,
               machine.distributions, choices);
  return snapshot;
}

}  // namespace plumb

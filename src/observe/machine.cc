// SPDX-License-Identifier: Apache-2.0
#include "observe/machine.h"

#include <algorithm>
#include <iterator>

#include "observe/cards.h"
#include "observe/distributions.h"
#include "observe/driver_state.h"
#include "observe/driver_version.h"
#include "observe/frameworks.h"
#include "observe/load_faults.h"
#include "observe/pci_facts.h"
#include "observe/process_libraries.h"
#include "observe/python_environment.h"
#include "observe/toolkits.h"

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
  machine.toolkits = observe_toolkits(host);
  PythonSearch search = find_python_environment(host, environment);
  machine.python = std::move(search.environment);
  machine.store_stub = search.store_stub;
  if (machine.python) {
    const PythonEnvironment& python = *machine.python.value;
    machine.distributions = list_distributions(python.site_packages, machine.errors);
    if (python.kind == EnvironmentKind::conda) {
      machine.conda_packages = list_conda_packages(python.root);
    }
    read_requirements(machine.distributions);
    machine.frameworks = observe_frameworks(machine.distributions, machine.errors);
    observe_loading(host, python, machine.distributions, machine.frameworks, machine.errors,
                    processes);
  }
  return machine;
}

Snapshot take_snapshot(const Host& host, const std::string& environment) {
  Snapshot snapshot;
  snapshot.machine = observe_machine(host, environment, &snapshot.processes);
  const MachineFacts& machine = snapshot.machine;
  const PythonEnvironment* python = machine.python ? &*machine.python.value : nullptr;
  snapshot.processes.push_back(plain_libraries(host, python));
  std::vector<LibraryChoice*> choices;
  for (ProcessLibraries& process : snapshot.processes) {
    for (LibraryChoice& choice : process.choices) {
      choices.push_back(&choice);
    }
  }
  add_versions(host, python != nullptr ? python->system : host.system, machine.distributions,
               choices);
  return snapshot;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `check` saw of one machine and of the Python environment in force on it: plain values from
// the probes in observe/, for judge and report. No words for people here; each value says where it
// was read.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "facts/binary_fields.h"
#include "facts/cuda_software.h"
#include "facts/driver_answers.h"
#include "facts/driver_state.h"
#include "facts/fact.h"
#include "facts/fields.h"
#include "facts/gpu_hardware.h"
#include "facts/pip_configuration.h"
#include "facts/python_packages.h"
#include "facts/python_world.h"
#include "facts/system_state.h"

namespace plumb {

struct SystemFacts {
  std::string name;            // "linux" or "windows"
  std::string machine;         // "x86_64", "aarch64"
  std::string distribution;    // ID of /etc/os-release: "ubuntu"; "" on Windows or if not told
  bool wsl = false;            // WSL: Linux programs, Windows' driver
  std::string container_mark;  // what says that this is a container ("/.dockerenv"); "" = nothing
};
void fields(auto& visit, Is<SystemFacts> auto& system) {
  visit("name", system.name);
  visit("machine", system.machine);
  visit("distribution", system.distribution);
  visit("wsl", system.wsl);
  visit("container_mark", system.container_mark);
}

/// An NVIDIA card as the PCI bus tells it, before any driver is asked.
struct SeenCard {
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0;
  std::uint16_t subsystem_device = 0;
  std::uint32_t class_code = 0;
  std::string location;       // "0000:01:00.0"; Windows: the instance id
  std::string driver;         // "nvidia", "nouveau", "nvlddmkm"; "" = none bound
  std::uint32_t problem = 0;  // Windows: CM_PROB_*
  std::string origin;
};
void fields(auto& visit, Is<SeenCard> auto& card) {
  visit("device", card.device);
  visit("subsystem_vendor", card.subsystem_vendor);
  visit("subsystem_device", card.subsystem_device);
  visit("class_code", card.class_code);
  visit("location", card.location);
  visit("driver", card.driver);
  visit("problem", card.problem);
  visit("origin", card.origin);
}

struct DriverFacts {
  /// As people know it: "580.159.04", on Windows "566.36". On Linux the kernel module's, which
  /// decides; without one the library's. Under WSL the Windows driver's.
  Fact<std::string> version;
  Fact<std::string> module_version;   // Linux: the kernel module that is loaded
  bool open_module = false;           // NVIDIA's open kernel modules
  Fact<std::string> library;          // path of libcuda.so.1 / nvcuda.dll
  Fact<std::string> library_version;  // of that file
  bool library_is_compat = false;     // a cuda-compat library, meant to differ from the module
  std::vector<std::string>
      device_nodes;  // Linux: those of /dev/nvidia0, nvidiactl, nvidia-uvm, dxg
};
void fields(auto& visit, Is<DriverFacts> auto& driver) {
  visit("version", driver.version);
  visit("module_version", driver.module_version);
  visit("open_module", driver.open_module);
  visit("library", driver.library);
  visit("library_version", driver.library_version);
  visit("library_is_compat", driver.library_is_compat);
  visit("device_nodes", driver.device_nodes);
}

struct Toolkit {
  std::string version;  // "12.8"; "" = could not be told
  std::string path;
  std::string origin;  // "CUDA_PATH", "/usr/local"
};
void fields(auto& visit, Is<Toolkit> auto& toolkit) {
  visit("version", toolkit.version);
  visit("path", toolkit.path);
  visit("origin", toolkit.origin);
}

enum class EnvironmentKind : std::uint8_t { venv, conda, system, store, folder };
constexpr auto enum_names(EnvironmentKind) {
  return std::to_array<std::string_view>({"venv", "conda", "system", "store", "folder"});
}
enum class FoundBy : std::uint8_t { option, virtual_env, conda_prefix, dot_venv, path };
constexpr auto enum_names(FoundBy) {
  return std::to_array<std::string_view>({"--env", "VIRTUAL_ENV", "CONDA_PREFIX", ".venv", "PATH"});
}

struct PythonEnvironment {
  EnvironmentKind kind = EnvironmentKind::system;
  FoundBy found_by = FoundBy::path;
  std::string root;                        // the prefix, as found
  std::string system;                      // "linux" or "windows": by its layout
  std::string interpreter;                 // "" if none was seen
  Fact<std::string> python_version;        // "3.12.8", or "3.12" where no more is told
  std::vector<std::string> site_packages;  // in the order of sys.path; only folders that exist
  std::string path_python;  // set where `python` on PATH starts another environment than this one
};
void fields(auto& visit, Is<PythonEnvironment> auto& environment) {
  visit("kind", environment.kind);
  visit("found_by", environment.found_by);
  visit("root", environment.root);
  visit("system", environment.system);
  visit("interpreter", environment.interpreter);
  visit("python_version", environment.python_version);
  visit("site_packages", environment.site_packages);
  visit("path_python", environment.path_python);
}

struct Distribution {
  std::string name;        // as written
  std::string normalized;  // PEP 503
  std::string version;
  std::string site;                        // the site-packages folder it lies in
  std::string info;                        // its *.dist-info or *.egg-info, below `site`
  std::vector<std::string> requires_dist;  // read for GPU packages only
  bool gpu_project = false;                // one of kGpuProjects
};
void fields(auto& visit, Is<Distribution> auto& distribution) {
  visit("name", distribution.name);
  visit("normalized", distribution.normalized);
  visit("version", distribution.version);
  visit("site", distribution.site);
  visit("info", distribution.info);
  visit("requires_dist", distribution.requires_dist);
  visit("gpu_project", distribution.gpu_project);
}

struct CondaPackage {
  std::string name;
  std::string version;
  std::string build;  // "py3.12_cuda12.6_cudnn9.5.1_0"
};
void fields(auto& visit, Is<CondaPackage> auto& package) {
  visit("name", package.name);
  visit("version", package.version);
  visit("build", package.build);
}

/// A CUDA library that a framework's own libraries ask for by name.
struct NeededLibrary {
  std::string name;             // "libcudart.so.13", "cudnn64_9.dll"
  std::vector<std::string> by;  // libraries that ask, below the site-packages folder
  std::string found;            // a place where the loader may find it; "" = nowhere plumb looked
};
void fields(auto& visit, Is<NeededLibrary> auto& library) {
  visit("name", library.name);
  visit("by", library.by);
  visit("found", library.found);
}

enum class LoadFaultKind : std::uint8_t { library, symbol, version };
constexpr auto enum_names(LoadFaultKind) {
  return std::to_array<std::string_view>({"library", "symbol", "version"});
}

/// What keeps a library of a framework from being loaded, as the loader would find.
struct LoadFault {
  LoadFaultKind kind = LoadFaultKind::library;
  std::string file;     // that cannot be loaded, below the site-packages folder where it lies in it
  std::string library;  // that is missing, or that lacks the symbol or version; "" = not known
  std::string symbol;   // mangled
  std::string demangled;
  std::string version;      // "GLIBCXX_3.4.30"
  std::string loader_text;  // what the loader says
  std::string present;      // path of the same library in another version that is there
  std::size_t more = 0;     // symbols that are missing besides this one
  bool own_part = false;    // `library` is a file of the framework's own package
};
void fields(auto& visit, Is<LoadFault> auto& fault) {
  visit("kind", fault.kind);
  visit("file", fault.file);
  visit("library", fault.library);
  visit("symbol", fault.symbol);
  visit("demangled", fault.demangled);
  visit("version", fault.version);
  visit("loader_text", fault.loader_text);
  visit("present", fault.present);
  visit("more", fault.more);
  visit("own_part", fault.own_part);
}

/// One framework or GPU library of the environment; distributions that share one folder (jax,
/// jaxlib and its plugin) are one.
struct FrameworkFacts {
  std::string name;           // "torch", "paddle", "onnxruntime", "xformers"
  bool is_framework = false;  // one that people run for itself, not an extension of another
  std::string package;        // the distribution that names it: "paddlepaddle-gpu"
  std::string version;        // with its local part: "2.14.1+cu130"
  std::string site;
  std::vector<std::string> packages;  // "onnxruntime 1.20.0", "onnxruntime-gpu 1.20.1"
  /// Packages that own the same library files: the last one installed has overwritten the others.
  std::vector<std::string> overlapping;
  /// What its own version file says: "13.0"; absent = that it was built without.
  Fact<std::string> cuda;
  Fact<std::string> cudnn;
  std::string other_gpu;  // built for another maker's cards: "ROCm 6.4"
  /// Its own libraries that hold GPU code or ask for CUDA; paths below the site-packages folder.
  std::vector<BinaryFacts> libraries;
  std::uint32_t libraries_seen = 0;        // that RECORD or the folder names
  std::uint32_t libraries_unreadable = 0;  // of those
  std::vector<NeededLibrary> needs;
  std::vector<std::string> bases;      // frameworks that it imports first: "torch"
  std::vector<LoadFault> load_faults;  // at import, one for each file that fails
  std::uint32_t modules_loaded = 0;    // at import, that do not fail
};
void fields(auto& visit, Is<FrameworkFacts> auto& framework) {
  visit("name", framework.name);
  visit("is_framework", framework.is_framework);
  visit("package", framework.package);
  visit("version", framework.version);
  visit("site", framework.site);
  visit("packages", framework.packages);
  visit("overlapping", framework.overlapping);
  visit("cuda", framework.cuda);
  visit("cudnn", framework.cudnn);
  visit("other_gpu", framework.other_gpu);
  visit("libraries", framework.libraries);
  visit("libraries_seen", framework.libraries_seen);
  visit("libraries_unreadable", framework.libraries_unreadable);
  visit("needs", framework.needs);
  visit("bases", framework.bases);
  visit("load_faults", framework.load_faults);
  visit("modules_loaded", framework.modules_loaded);
}

struct MachineFacts {
  SystemFacts system;
  SystemState system_state;          // all else about the system
  HardwareFacts hardware;            // every card, with its links
  std::optional<Error> cards_fault;  // the PCI bus could not be read
  std::vector<SeenCard> cards;       // NVIDIA's, as the rules see them
  DriverFacts driver;
  DriverState driver_state;  // all else about the driver
  /// What NVIDIA's libraries said when they were asked; empty: nobody asked.
  std::optional<DriverAnswers> driver_answers;
  std::vector<Toolkit> toolkits;  // as the rules see them
  CudaSoftware cuda;              // toolkits, copies of libraries, compilers in full
  Fact<PythonEnvironment> python;
  bool store_stub = false;  // `python` is the entry that only opens the Microsoft Store
  std::vector<Distribution> distributions;
  std::vector<CondaPackage> conda_packages;
  std::vector<FrameworkFacts> frameworks;
  PackageDetails packages;    // of the environment in force
  PythonWorld python_world;   // all interpreters and environments
  PipConfiguration pip;       // and uv's, conda's
  std::vector<Error> errors;  // what could not be read on the way
};
void fields(auto& visit, Is<MachineFacts> auto& machine) {
  visit("system", machine.system);
  visit("system_state", machine.system_state);
  visit("hardware", machine.hardware);
  visit("cards_fault", machine.cards_fault);
  visit("cards", machine.cards);
  visit("driver", machine.driver);
  visit("driver_state", machine.driver_state);
  visit("driver_answers", machine.driver_answers);
  visit("toolkits", machine.toolkits);
  visit("cuda", machine.cuda);
  visit("python", machine.python);
  visit("store_stub", machine.store_stub);
  visit("distributions", machine.distributions);
  visit("conda_packages", machine.conda_packages);
  visit("frameworks", machine.frameworks);
  visit("packages", machine.packages);
  visit("python_world", machine.python_world);
  visit("pip", machine.pip);
  visit("errors", machine.errors);
}

}  // namespace plumb

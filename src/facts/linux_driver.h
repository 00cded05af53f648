// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of NVIDIA's driver on Linux, from the kernel's and the packages' own files. Paths are
// those of the machine looked at. In a container the kernel side is the host's; which device nodes
// are there is the container's.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

/// One of nvidia, nvidia_uvm, nvidia_modeset, nvidia_drm, nvidia_peermem, nouveau, nova_core that
/// is loaded (or built in).
struct LoadedModule {
  std::string name;
  Fact<std::string> version;  // /sys/module/NAME/version; nouveau has none
  Fact<std::string> state;    // "live", "coming", "going"
  Fact<std::string> taint;    // letters: O out of tree, E unsigned, P proprietary
  std::string origin;
};
void fields(auto& visit, Is<LoadedModule> auto& module) {
  visit("name", module.name);
  visit("version", module.version);
  visit("state", module.state);
  visit("taint", module.taint);
  visit("origin", module.origin);
}

/// The open modules do not drive cards older than Turing, the closed ones none newer than Hopper.
enum class ModuleFlavour : std::uint8_t { open, proprietary };
constexpr auto enum_names(ModuleFlavour) {
  return std::to_array<std::string_view>({"open", "proprietary"});
}

/// /proc/driver/nvidia/gpus/LOCATION/information: what the loaded module knows of one card.
struct ModuleCard {
  std::string location;          // "0000:01:00.0"
  Fact<std::string> model;       // "NVIDIA H200"
  Fact<std::string> uuid;        // absent until the card was used for the first time
  Fact<std::string> video_bios;  // "96.00.a5.00.1a"; absent as above
  Fact<std::uint64_t> minor;     // N of /dev/nvidiaN
  Fact<std::string> firmware;    // of the GSP: "580.159.04"; absent = runs without
  Fact<bool> excluded;           // by the administrator
  std::string origin;
};
void fields(auto& visit, Is<ModuleCard> auto& card) {
  visit("location", card.location);
  visit("model", card.model);
  visit("uuid", card.uuid);
  visit("video_bios", card.video_bios);
  visit("minor", card.minor);
  visit("firmware", card.firmware);
  visit("excluded", card.excluded);
  visit("origin", card.origin);
}

/// A name below /dev that is NVIDIA's. Looked at, never opened; a cgroup's device filter, which
/// makes opening fail, does not show here.
struct DeviceNode {
  std::string path;
  bool is_device = false;  // false: a plain file in its place
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t mode = 0;  // permission bits: 0666 is 438
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  Fact<bool> accessible;  // access(2) for reading and writing; absent for a mounted system
  /// The major number that /proc/devices has for this driver; another than `major` = the node is a
  /// leftover of an earlier load (long-lived containers).
  Fact<std::uint64_t> driver_major;
};
void fields(auto& visit, Is<DeviceNode> auto& node) {
  visit("path", node.path);
  visit("is_device", node.is_device);
  visit("major", node.major);
  visit("minor", node.minor);
  visit("mode", node.mode);
  visit("owner", node.owner);
  visit("group", node.group);
  visit("accessible", node.accessible);
  visit("driver_major", node.driver_major);
}

/// A GPU instance of a card in MIG mode.
struct MigInstance {
  std::uint64_t gpu_minor = 0;
  std::uint64_t gpu_instance = 0;
  std::vector<std::uint64_t> compute_instances;
  std::string origin;
};
void fields(auto& visit, Is<MigInstance> auto& instance) {
  visit("gpu_minor", instance.gpu_minor);
  visit("gpu_instance", instance.gpu_instance);
  visit("compute_instances", instance.compute_instances);
  visit("origin", instance.origin);
}

enum class ModuleRuleKind : std::uint8_t { blacklist, alias_off, install, options };
constexpr auto enum_names(ModuleRuleKind) {
  return std::to_array<std::string_view>({"blacklist", "alias_off", "install", "options"});
}

/// A line of modprobe.d(5) about one of the modules.
struct ModuleRule {
  ModuleRuleKind kind = ModuleRuleKind::blacklist;
  std::string module;  // '-' as '_'
  std::string text;    // what follows: "modeset=0", "/bin/false"
  std::string file;
  std::uint32_t line = 0;
};
void fields(auto& visit, Is<ModuleRule> auto& rule) {
  visit("kind", rule.kind);
  visit("module", rule.module);
  visit("text", rule.text);
  visit("file", rule.file);
  visit("line", rule.line);
}

struct ModuleRules {
  std::vector<ModuleRule> rules;
  std::vector<std::string> command_line;  // words of /proc/cmdline that matter to GPU drivers
  /// Where nouveau (nvidia) is kept from loading by itself: "/etc/modprobe.d/x.conf:3",
  /// "/proc/cmdline". The first is usual beside NVIDIA's driver, the second a fault.
  std::vector<std::string> nouveau_blocked;
  std::vector<std::string> nvidia_blocked;
};
void fields(auto& visit, Is<ModuleRules> auto& rules) {
  visit("rules", rules.rules);
  visit("command_line", rules.command_line);
  visit("nouveau_blocked", rules.nouveau_blocked);
  visit("nvidia_blocked", rules.nvidia_blocked);
}

/// What decides whether a module may be loaded at all.
struct KernelGuards {
  Fact<bool> efi;          // started by EFI firmware; false in most containers and BIOS machines
  Fact<bool> secure_boot;  // absent where efi is false
  Fact<bool> setup_mode;   // secure boot without keys
  Fact<std::string> lockdown;  // "none", "integrity", "confidentiality"
  Fact<std::uint64_t> taint;   // bits: 0 proprietary, 12 out of tree, 13 unsigned
};
void fields(auto& visit, Is<KernelGuards> auto& guards) {
  visit("efi", guards.efi);
  visit("secure_boot", guards.secure_boot);
  visit("setup_mode", guards.setup_mode);
  visit("lockdown", guards.lockdown);
  visit("taint", guards.taint);
}

/// nvidia.ko as modules.dep of the running kernel names it.
struct ModuleFile {
  std::string path;
  bool there = false;         // modules.dep may name a file that is gone
  Fact<std::string> version;  // of .modinfo; absent for a compressed file, which is not unpacked
  Fact<std::string> licence;  // "Dual MIT/GPL" = the open module
  Fact<bool> is_signed;
};
void fields(auto& visit, Is<ModuleFile> auto& file) {
  visit("path", file.path);
  visit("there", file.there);
  visit("version", file.version);
  visit("licence", file.licence);
  visit("is_signed", file.is_signed);
}

/// added: the source is there; built: for the running kernel; installed: into it as well. broken: a
/// build was begun and has not ended, mostly because it failed (`log`).
enum class DkmsState : std::uint8_t { added, broken, built, installed };
constexpr auto enum_names(DkmsState) {
  return std::to_array<std::string_view>({"added", "broken", "built", "installed"});
}

struct DkmsModule {
  std::string name;                    // "nvidia", "nvidia-current", "nvidia-open"
  std::string version;                 // "580.95.05"
  DkmsState state = DkmsState::added;  // for the running kernel
  std::vector<std::string> kernels;    // that it was built for
  std::string log;                     // the last build's log, where it is broken
  std::string origin;
};
void fields(auto& visit, Is<DkmsModule> auto& module) {
  visit("name", module.name);
  visit("version", module.version);
  visit("state", module.state);
  visit("kernels", module.kernels);
  visit("log", module.log);
  visit("origin", module.origin);
}

struct KernelFacts {
  Fact<std::string> release;  // of the running kernel: "6.8.0-45-generic"
  /// Absent while `installed` holds `release`: this kernel has no module of NVIDIA's. A container
  /// has none of these folders, and knows nothing of the modules.
  Fact<ModuleFile> module_file;
  Fact<bool> headers;                  // the folder to build modules against is there
  std::vector<std::string> installed;  // kernels with a folder in /lib/modules, oldest first
  Fact<std::string> newest;     // installed; another than `release`: a restart is due, perhaps
  Fact<bool> restart_required;  // /run/reboot-required (Debian, Ubuntu)
  std::vector<DkmsModule> dkms;
  std::vector<std::string> firmware_versions;  // folders of GSP firmware: "580.95.05"
  Fact<std::vector<std::string>> firmware;  // files for the loaded module's version; absent = none
  KernelGuards guards;
};
void fields(auto& visit, Is<KernelFacts> auto& kernel) {
  visit("release", kernel.release);
  visit("module_file", kernel.module_file);
  visit("headers", kernel.headers);
  visit("installed", kernel.installed);
  visit("newest", kernel.newest);
  visit("restart_required", kernel.restart_required);
  visit("dkms", kernel.dkms);
  visit("firmware_versions", kernel.firmware_versions);
  visit("firmware", kernel.firmware);
  visit("guards", kernel.guards);
}

/// broken: the package manager says half-installed, half-configured or the like. leftover: removed,
/// its settings are still there.
enum class PackageState : std::uint8_t { installed, broken, leftover };
constexpr auto enum_names(PackageState) {
  return std::to_array<std::string_view>({"installed", "broken", "leftover"});
}

struct DriverPackage {
  std::string name;          // "nvidia-driver-580-open"
  std::string version;       // "580.95.05-0ubuntu1"
  std::string architecture;  // "amd64"
  PackageState state = PackageState::installed;
  std::string status;  // as the manager writes it: "install ok half-configured"
  std::string origin;
};
void fields(auto& visit, Is<DriverPackage> auto& package) {
  visit("name", package.name);
  visit("version", package.version);
  visit("architecture", package.architecture);
  visit("state", package.state);
  visit("status", package.status);
  visit("origin", package.origin);
}

struct DriverPackages {
  std::optional<Error> fault;  // a package database is there and cannot be read
  std::vector<DriverPackage> packages;
  std::vector<std::string> run_installer;  // files that NVIDIA's .run installer leaves
};
void fields(auto& visit, Is<DriverPackages> auto& packages) {
  visit("fault", packages.fault);
  visit("packages", packages.packages);
  visit("run_installer", packages.run_installer);
}

/// One copy of a library of the driver's user side.
struct DriverLibrary {
  std::string library;             // "libcuda", "libnvidia-ml"
  std::string path;                // of the file itself, no link
  std::vector<std::string> names;  // links to it in the same folder: "libcuda.so.1"
  std::string version;             // by its name: "580.95.05"; "" = none there
  std::uint64_t size = 0;          // 0 bytes: left by an image saved from a container with a GPU
};
void fields(auto& visit, Is<DriverLibrary> auto& library) {
  visit("library", library.library);
  visit("path", library.path);
  visit("names", library.names);
  visit("version", library.version);
  visit("size", library.size);
}

/// A cuda-compat library: a newer libcuda for an older kernel module.
struct CompatLibrary {
  std::string path;
  std::string version;                       // by its name
  Fact<std::string> note;                    // .note.cuda.fwd_compatibility: JSON
  std::string cuda;                          // "13.0", of the note
  std::vector<std::uint32_t> driver_majors;  // kernel modules it works with: 535, 550
};
void fields(auto& visit, Is<CompatLibrary> auto& library) {
  visit("path", library.path);
  visit("version", library.version);
  visit("note", library.note);
  visit("cuda", library.cuda);
  visit("driver_majors", library.driver_majors);
}

enum class OddFolderKind : std::uint8_t { stubs, compat };
constexpr auto enum_names(OddFolderKind) {
  return std::to_array<std::string_view>({"stubs", "compat"});
}

/// A folder on LD_LIBRARY_PATH whose libcuda is not the driver's.
struct OddFolder {
  OddFolderKind kind = OddFolderKind::stubs;
  std::string path;
  bool has_libcuda = false;  // libcuda.so.1, which programs load
};
void fields(auto& visit, Is<OddFolder> auto& folder) {
  visit("kind", folder.kind);
  visit("path", folder.path);
  visit("has_libcuda", folder.has_libcuda);
}

struct DriverLibraries {
  std::vector<DriverLibrary> libraries;
  std::vector<std::string> broken_links;  // names of such libraries that lead nowhere
  std::vector<CompatLibrary> compat;
  std::vector<OddFolder> odd_folders;
};
void fields(auto& visit, Is<DriverLibraries> auto& libraries) {
  visit("libraries", libraries.libraries);
  visit("broken_links", libraries.broken_links);
  visit("compat", libraries.compat);
  visit("odd_folders", libraries.odd_folders);
}

struct DriverServices {
  Fact<bool> persistence_daemon;      // runs
  Fact<std::string> fabric_manager;   // path of its program; absent = not installed
  Fact<bool> fabric_manager_running;  // by its cgroup; absent where systemd keeps none for it
};
void fields(auto& visit, Is<DriverServices> auto& services) {
  visit("persistence_daemon", services.persistence_daemon);
  visit("fabric_manager", services.fabric_manager);
  visit("fabric_manager_running", services.fabric_manager_running);
}

/// Kernel side: absent all through in WSL, where Windows drives the card.
struct LinuxDriver {
  std::vector<LoadedModule> modules;
  Fact<ModuleFlavour> flavour;
  Fact<std::map<std::string, std::string>> parameters;  // in force: "DeviceFileMode" -> "438"
  std::vector<ModuleCard> cards;
  std::vector<DeviceNode> nodes;
  /// Nodes that the loaded modules would serve and that are not there; in a container also those of
  /// cards that it was not given.
  std::vector<std::string> missing_nodes;
  std::uint32_t imex_channels =
      0;  // channel0, channel1 ... in /dev/nvidia-caps-imex-channels, as far as 64
  Fact<std::vector<MigInstance>> mig;  // present and empty: MIG is off or has no instance
  ModuleRules rules;
  KernelFacts kernel;
  DriverPackages packages;
  DriverLibraries libraries;
  DriverServices services;
};
void fields(auto& visit, Is<LinuxDriver> auto& driver) {
  visit("modules", driver.modules);
  visit("flavour", driver.flavour);
  visit("parameters", driver.parameters);
  visit("cards", driver.cards);
  visit("nodes", driver.nodes);
  visit("missing_nodes", driver.missing_nodes);
  visit("imex_channels", driver.imex_channels);
  visit("mig", driver.mig);
  visit("rules", driver.rules);
  visit("kernel", driver.kernel);
  visit("packages", driver.packages);
  visit("libraries", driver.libraries);
  visit("services", driver.services);
}

/// A driver package of Windows that WSL shows below /usr/lib/wsl/drivers.
struct WslDriverPackage {
  std::string folder;
  Fact<std::string> version;  // of Windows: "32.0.15.6094", from its INF or a DLL
  std::string release;        // of NVIDIA: "560.94"; "" = could not be told
};
void fields(auto& visit, Is<WslDriverPackage> auto& package) {
  visit("folder", package.folder);
  visit("version", package.version);
  visit("release", package.release);
}

struct WslDriver {
  Fact<bool> dxg;                            // /dev/dxg, the way to Windows' GPU driver, is there
  Fact<std::vector<std::string>> libraries;  // names in /usr/lib/wsl/lib
  std::vector<WslDriverPackage> packages;    // several: older ones stay behind; newest first
  /// Files of a Linux driver, which must not be installed in WSL.
  std::vector<std::string> linux_driver;
};
void fields(auto& visit, Is<WslDriver> auto& driver) {
  visit("dxg", driver.dxg);
  visit("libraries", driver.libraries);
  visit("packages", driver.packages);
  visit("linux_driver", driver.linux_driver);
}

}  // namespace plumb

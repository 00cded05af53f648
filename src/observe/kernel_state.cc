// SPDX-License-Identifier: Apache-2.0
#include "observe/kernel_state.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/source.h"
#include "base/text.h"
#include "base/version.h"
#include "binary/elf.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::size_t kMostKernels = 200;
constexpr std::size_t kMostVersions = 100;
constexpr std::uint64_t kLargestModinfo = 1 << 20;
constexpr std::string_view kSignatureMark = "~Module signature appended~\n";
constexpr std::string_view kEfiVariables = "/sys/firmware/efi/efivars/";
constexpr std::string_view kEfiGlobal = "-8be4df61-93ca-11d2-aa0d-00e098032b8c";

/// "580.95.05": a driver's, and not "ga102", which are folders of nouveau's firmware.
bool is_driver_version(std::string_view text) {
  const auto version = Version::parse(text);
  return version && version->major() >= 100 && text.find('.') != std::string_view::npos;
}

/// Reads version and licence from .modinfo: texts "name=value" that end in NULs.
void read_modinfo(const Source& source, ModuleFile& file) {
  const auto elf = read_elf(source, {});
  const ElfSection* section = elf ? elf->find_section(".modinfo") : nullptr;
  if (section == nullptr || !section->in_file()) {
    const Error error = elf ? Error{ErrorCode::malformed, "has no section .modinfo", file.path, {}}
                            : Error(elf.error()).in(file.path);
    file.version = Fact<std::string>::unreadable(error, file.path);
    file.licence = file.version;
    return;
  }
  const auto bytes = read_range(source, section->offset, section->size, kLargestModinfo);
  if (!bytes) {
    file.version = Fact<std::string>::unreadable(bytes.error(), file.path);
    file.licence = file.version;
    return;
  }
  for (const std::string_view entry : split(as_text(*bytes), '\0')) {
    if (entry.starts_with("version=")) {
      file.version = Fact<std::string>::present(std::string(entry.substr(8)), file.path);
    } else if (entry.starts_with("license=")) {
      file.licence = Fact<std::string>::present(std::string(entry.substr(8)), file.path);
    }
  }
}

Fact<bool> read_signature(const Source& source, const std::string& path) {
  if (source.size() < kSignatureMark.size()) {
    return Fact<bool>::present(false, path);
  }
  const auto end = read_range(source, source.size() - kSignatureMark.size(), kSignatureMark.size(),
                              kSignatureMark.size());
  return end ? Fact<bool>::present(as_text(*end) == kSignatureMark, path)
             : Fact<bool>::unreadable(end.error(), path);
}

ModuleFile read_module_file(const Host& host, const std::string& path) {
  ModuleFile file;
  file.path = path;
  file.version = Fact<std::string>::absent(path);
  file.licence = Fact<std::string>::absent(path);
  file.is_signed = Fact<bool>::absent(path);
  file.there = exists(host, path);
  if (!file.there || !path.ends_with(".ko")) {
    return file;
  }
  const auto source = open_file(host.at(path));
  if (!source) {
    file.version = Fact<std::string>::unreadable(source.error(), path);
    file.licence = file.version;
    file.is_signed = Fact<bool>::unreadable(source.error(), path);
    return file;
  }
  read_modinfo(**source, file);
  file.is_signed = read_signature(**source, path);
  return file;
}

Fact<ModuleFile> find_module_file(const Host& host, const std::string& folder) {
  const std::string index = folder + "/modules.dep";
  const auto text = read_text_file(host.at(index), 32 << 20);
  if (!text) {
    return fact_of_error<ModuleFile>(text.error(), index);
  }
  const auto path = nvidia_in_modules_dep(*text);
  if (!path) {
    return Fact<ModuleFile>::absent(index);
  }
  return Fact<ModuleFile>::present(
      read_module_file(host, path->starts_with('/') ? *path : folder + "/" + *path), index);
}

/// The link `build` points to the headers by an absolute path of the machine looked at.
Fact<bool> find_headers(const Host& host, const std::string& folder) {
  const std::string path = folder + "/build";
  const auto target = read_link(host.at(path));
  const bool there =
      target && target->starts_with('/') ? is_folder(host.at(*target)) : is_folder(host.at(path));
  return is_folder(host.at(folder)) ? Fact<bool>::present(there, path) : Fact<bool>::absent(path);
}

std::vector<std::string> installed_kernels(const Host& host) {
  std::vector<std::string> kernels;
  for (const DirectoryEntry& entry : entries_of(host, "/lib/modules")) {
    // DKMS leaves folders of removed kernels behind; modules.dep goes with the kernel's package.
    if (kernels.size() < kMostKernels &&
        exists(host, "/lib/modules/" + entry.name + "/modules.dep")) {
      kernels.push_back(entry.name);
    }
  }
  std::ranges::sort(kernels, natural_less);
  return kernels;
}

Fact<std::string> newest_kernel(const Host& host, const std::vector<std::string>& installed) {
  constexpr std::string_view kImage = "vmlinuz-";
  std::vector<std::string> kernels;
  for (const DirectoryEntry& entry : entries_of(host, "/boot")) {
    if (entry.name.starts_with(kImage) && entry.name.find("rescue") == std::string::npos &&
        kernels.size() < kMostKernels) {
      kernels.push_back(entry.name.substr(kImage.size()));
    }
  }
  if (!kernels.empty()) {
    return Fact<std::string>::present(*std::ranges::max_element(kernels, natural_less), "/boot");
  }
  return installed.empty() ? Fact<std::string>::absent("/lib/modules")
                           : Fact<std::string>::present(installed.back(), "/lib/modules");
}

void read_firmware(const Host& host, const std::string& module_version, KernelFacts& facts) {
  const std::string folder = "/lib/firmware/nvidia";
  for (const DirectoryEntry& entry : entries_of(host, folder)) {
    if (is_driver_version(entry.name) && facts.firmware_versions.size() < kMostVersions) {
      facts.firmware_versions.push_back(entry.name);
    }
  }
  std::ranges::sort(facts.firmware_versions, natural_less);
  facts.firmware = Fact<std::vector<std::string>>::absent(folder);
  if (!is_driver_version(module_version)) {
    return;
  }
  const std::string own = folder + "/" + module_version;
  std::vector<std::string> files;
  for (const DirectoryEntry& entry : entries_of(host, own)) {
    if (entry.name.starts_with("gsp_") && files.size() < kMostVersions) {
      files.push_back(entry.name);
    }
  }
  facts.firmware = files.empty() ? Fact<std::vector<std::string>>::absent(own)
                                 : Fact<std::vector<std::string>>::present(std::move(files), own);
}

/// Four bytes of attributes, then the value (kernel: Documentation/filesystems/efivarfs.rst).
Fact<bool> efi_flag(const Host& host, std::string_view name) {
  const std::string path = std::string(kEfiVariables) + std::string(name) + std::string(kEfiGlobal);
  const auto bytes = read_text_file(host.at(path), 4096);
  if (!bytes) {
    return fact_of_error<bool>(bytes.error(), path);
  }
  return bytes->size() == 5
             ? Fact<bool>::present((*bytes)[4] == 1, path)
             : Fact<bool>::unreadable({ErrorCode::malformed,
                                       "has " + std::to_string(bytes->size()) + " bytes, not 5",
                                       path,
                                       {}},
                                      path);
}

/// The state of one version for the running kernel.
DkmsModule read_dkms_version(const Host& host, const std::string& name, const std::string& version,
                             const std::string& release) {
  DkmsModule module;
  module.name = name;
  module.version = version;
  module.origin = "/var/lib/dkms/" + name + "/" + version;
  for (const DirectoryEntry& kernel : entries_of(host, module.origin)) {
    if (kernel.name == "source" || kernel.name == "build" ||
        module.kernels.size() >= kMostKernels) {
      continue;
    }
    const std::string folder = module.origin + "/" + kernel.name;
    for (const DirectoryEntry& architecture : entries_of(host, folder)) {
      const auto files = entries_of(host, folder + "/" + architecture.name + "/module");
      if (std::ranges::any_of(files, [](const DirectoryEntry& file) {
            return file.name.find(".ko") != std::string::npos;
          })) {
        module.kernels.push_back(kernel.name);
        break;
      }
    }
  }
  if (std::ranges::find(module.kernels, release) != module.kernels.end()) {
    module.state = DkmsState::built;
  } else if (const std::string log = module.origin + "/build/make.log"; exists(host, log)) {
    module.state = DkmsState::broken;
    module.log = log;
  }
  return module;
}

}  // namespace

std::optional<std::string> nvidia_in_modules_dep(std::string_view text) {
  // "updates/dkms/nvidia.ko.zst: kernel/..."; Debian calls it nvidia-current.ko.
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view path = line.substr(0, line.find(':'));
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::string_view stem = name.substr(0, name.find(".ko"));
    if (stem.size() < name.size() && (stem == "nvidia" || stem == "nvidia-current")) {
      return std::string(path);
    }
  }
  return std::nullopt;
}

KernelGuards observe_guards(const Host& host) {
  KernelGuards guards;
  guards.efi = existence_fact(host, "/sys/firmware/efi");
  guards.secure_boot = efi_flag(host, "SecureBoot");
  guards.setup_mode = efi_flag(host, "SetupMode");
  guards.taint = number_fact(host, "/proc/sys/kernel/tainted");
  guards.lockdown = line_fact(host, "/sys/kernel/security/lockdown");
  if (guards.lockdown) {
    // "none [integrity] confidentiality"
    const std::string& line = *guards.lockdown.value;
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']', std::min(open, line.size()));
    guards.lockdown = close == std::string::npos
                          ? Fact<std::string>::absent(guards.lockdown.origin)
                          : Fact<std::string>::present(line.substr(open + 1, close - open - 1),
                                                       guards.lockdown.origin);
  }
  return guards;
}

std::vector<DkmsModule> observe_dkms(const Host& host, const std::string& release) {
  std::vector<DkmsModule> modules;
  for (const DirectoryEntry& entry : entries_of(host, "/var/lib/dkms")) {
    if (!entry.name.starts_with("nvidia")) {
      continue;
    }
    const std::string folder = "/var/lib/dkms/" + entry.name;
    std::string installed;  // version for the running kernel
    for (const DirectoryEntry& part : entries_of(host, folder)) {
      // kernel-<release>-<architecture> -> <version>/<release>/<architecture>
      if (!release.empty() && part.name.starts_with("kernel-" + release + "-")) {
        const auto target = read_link(host.at(folder + "/" + part.name));
        installed = target ? target->substr(0, target->find('/')) : std::string{};
      }
      if (is_driver_version(part.name) && modules.size() < kMostVersions) {
        modules.push_back(read_dkms_version(host, entry.name, part.name, release));
      }
    }
    for (DkmsModule& module : modules) {
      if (module.name == entry.name && module.version == installed) {
        module.state = DkmsState::installed;
      }
    }
  }
  return modules;
}

KernelFacts observe_kernel(const Host& host, const std::string& module_version) {
  KernelFacts facts;
  facts.release = line_fact(host, "/proc/sys/kernel/osrelease");
  facts.installed = installed_kernels(host);
  facts.newest = newest_kernel(host, facts.installed);
  facts.restart_required = existence_fact(host, "/run/reboot-required");
  facts.guards = observe_guards(host);
  read_firmware(host, module_version, facts);
  const std::string release = facts.release.value.value_or("");
  facts.dkms = observe_dkms(host, release);
  if (release.empty() || release.find('/') != std::string::npos) {
    facts.module_file = Fact<ModuleFile>::absent("");
    facts.headers = Fact<bool>::absent("");
    return facts;
  }
  const std::string folder = "/lib/modules/" + release;
  facts.module_file = find_module_file(host, folder);
  facts.headers = find_headers(host, folder);
  return facts;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Three sources that mostly agree. On Linux the kernel module (/proc, /sys) is what runs; the file
// name behind libcuda.so.1 is what programs load; after an update without a restart the two differ,
// and then nothing works. Under WSL there is no module: the driver is Windows', its store is
// mounted at /usr/lib/wsl/drivers. On Windows, nvcuda.dll's version resource carries NVIDIA's
// number in the last five digits.
#include "observe/driver_version.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/version.h"
#include "binary/pe.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::string_view kCudaName = "libcuda.so.1";
constexpr std::array<std::string_view, 9> kUsualFolders = {
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
    "/.singularity.d/libs"};
constexpr std::array<std::string_view, 5> kNodes = {
    "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-caps", "/dev/dxg"};

Fact<std::string> pe_driver_version(const std::string& path) {
  const auto file = open_file(path);
  if (!file) {
    return file.error().code == ErrorCode::not_found
               ? Fact<std::string>::absent(path)
               : Fact<std::string>::unreadable(file.error(), path);
  }
  const auto pe = read_pe(**file, {});
  if (!pe) {
    return Fact<std::string>::unreadable(pe.error(), path);
  }
  const auto version = driver_of_file_version(pe->file_version.value_or(""));
  if (!version) {
    return Fact<std::string>::unreadable(
        {ErrorCode::malformed, "has no version of an NVIDIA driver", path, {}}, path);
  }
  return Fact<std::string>::present(*version, path);
}

void read_module_version(const Host& host, DriverFacts& facts) {
  constexpr std::string_view kProc = "/proc/driver/nvidia/version";
  constexpr std::string_view kSys = "/sys/module/nvidia/version";
  const auto proc = read_text_file(host.at(kProc));
  if (const auto module = proc ? parse_nvrm_version(*proc) : std::nullopt) {
    facts.open_module = module->open;
    facts.module_version = Fact<std::string>::present(module->version, std::string(kProc));
    return;
  }
  const auto sys = read_text_file(host.at(kSys));
  if (sys && Version::parse(trim(*sys))) {
    facts.module_version = Fact<std::string>::present(std::string(trim(*sys)), std::string(kSys));
    return;
  }
  facts.module_version = Fact<std::string>::absent(std::string(kProc));
  for (const auto* result : {&proc, &sys}) {
    if (!*result && result->error().code != ErrorCode::not_found) {
      facts.module_version = Fact<std::string>::unreadable(result->error(), result->error().where);
    }
  }
}

/// In the loader's order: LD_LIBRARY_PATH, the cache, then folders that only a setup outside the
/// loader's knowledge uses.
Fact<std::string> find_cuda_library(const Host& host, const std::vector<CachedLibrary>& cache) {
  std::vector<std::string> candidates;
  for (const std::string& folder :
       split_path_list(host.set_variable("LD_LIBRARY_PATH").value_or(""))) {
    if (!folder.empty()) {
      candidates.push_back(folder + "/" + std::string(kCudaName));
    }
  }
  if (const std::string cached = find_in_cache(cache, kCudaName); !cached.empty()) {
    candidates.push_back(cached);
  }
  for (const std::string_view folder : kUsualFolders) {
    candidates.push_back(std::string(folder) + "/" + std::string(kCudaName));
  }
  for (const std::string& candidate : candidates) {
    const auto status = file_status(host.at(candidate));
    // Files of 0 bytes are left in images that were saved from a container with a GPU.
    if (status && status->kind == FileKind::regular && status->size > 0) {
      return Fact<std::string>::present(candidate, candidate);
    }
  }
  return Fact<std::string>::absent(std::string(kCudaName));
}

/// The newest of the driver packages in Windows' store; older ones stay behind there.
Fact<std::string> wsl_driver_version(const Host& host) {
  const std::string store = "/usr/lib/wsl/drivers";
  Fact<std::string> best = Fact<std::string>::absent(store);
  const auto folders = list_directory(host.at(store));
  if (!folders) {
    return folders.error().code == ErrorCode::not_found
               ? best
               : Fact<std::string>::unreadable(folders.error(), store);
  }
  for (const DirectoryEntry& folder : *folders) {
    if (!folder.name.starts_with("nv") || folder.name.find(".inf_") == std::string::npos) {
      continue;
    }
    for (const char* file : {"nvcuda64.dll", "nvml.dll", "nvcuda_loader64.dll"}) {
      const std::string path = store + "/" + folder.name + "/" + file;
      const Fact<std::string> seen = pe_driver_version(host.at(path));
      if (!seen) {
        continue;
      }
      if (!best || *Version::parse(*best.value) < *Version::parse(*seen.value)) {
        best = Fact<std::string>::present(*seen.value, path);
      }
      break;
    }
  }
  return best;
}

DriverFacts observe_windows_driver(const Host& host) {
  DriverFacts facts;
  const std::string path = join_path(host.system_folder, "nvcuda.dll");
  facts.version = pe_driver_version(path);
  facts.library_version = facts.version;
  facts.library =
      is_file(path) ? Fact<std::string>::present(path, path) : Fact<std::string>::absent(path);
  facts.module_version = Fact<std::string>::absent("");
  return facts;
}

}  // namespace

std::optional<ModuleVersion> parse_nvrm_version(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with("NVRM version:")) {
    return std::nullopt;
  }
  // Fields are parted by two blanks; the version is the one that is nothing but a version.
  std::size_t at = 0;
  while ((at = line.find("  ", at)) != std::string_view::npos) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    const std::string_view field = line.substr(at, line.find(' ', at) - at);
    if (Version::parse(field) && field.find('.') != std::string_view::npos) {
      return ModuleVersion{std::string(field), line.find("Open Kernel") != std::string_view::npos};
    }
  }
  return std::nullopt;
}

std::optional<std::string> driver_of_file_version(std::string_view file_version) {
  const auto version = Version::parse(file_version);
  if (!version || std::ranges::count(file_version, '.') != 3 || version->major() < 20 ||
      version->part(3) > 9999) {
    return std::nullopt;
  }
  // Arithmetic, because the last part may have lost leading zeros: 31.0.15.23 is 500.23.
  const std::uint32_t number = version->part(2) % 10 * 10000 + version->part(3);
  const std::uint32_t minor = number % 100;
  return std::to_string(number / 100) + (minor < 10 ? ".0" : ".") + std::to_string(minor);
}

std::optional<std::string> version_in_name(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t at = name.find(".so.");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto version = Version::parse(name.substr(at + 4));
  return version && version->major() >= 100 ? std::optional(version->text()) : std::nullopt;
}

std::vector<CachedLibrary> read_library_cache(const Host& host) {
  if (host.is_windows()) {
    return {};
  }
  const auto text = read_text_file(host.at("/etc/ld.so.cache"), 64 << 20);
  auto cache = text ? parse_library_cache(*text, host.machine)
                    : Result<std::vector<CachedLibrary>>(std::unexpected(text.error()));
  return cache ? *std::move(cache) : std::vector<CachedLibrary>{};
}

DriverFacts observe_driver(const Host& host, const SystemFacts& system,
                           const std::vector<CachedLibrary>& cache) {
  if (host.is_windows()) {
    return observe_windows_driver(host);
  }
  DriverFacts facts;
  for (const std::string_view node : kNodes) {
    const auto status = file_status(host.at(node));
    if (status && status->kind != FileKind::missing) {
      facts.device_nodes.emplace_back(node);
    }
  }
  facts.library = find_cuda_library(host, cache);
  if (facts.library) {
    const std::string target = real_path(host.at(*facts.library.value));
    if (const auto version = version_in_name(target)) {
      facts.library_version = Fact<std::string>::present(*version, *facts.library.value);
    }
    facts.library_is_compat = target.find("/compat/") != std::string::npos;
  }
  if (system.wsl) {
    facts.module_version = Fact<std::string>::absent("");
    facts.version = wsl_driver_version(host);
    return facts;
  }
  read_module_version(host, facts);
  facts.version = facts.module_version;
  if (!facts.version && facts.library_version && !facts.library_is_compat) {
    facts.version = facts.library_version;
  }
  return facts;
}

}  // namespace plumb

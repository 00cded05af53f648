// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_toolkit_versions.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "binary/nvidia_names.h"
#include "observe/cuda_headers.h"
#include "observe/json_strings.h"

namespace plumb {
namespace {

constexpr std::uint64_t kHeaderStart = 20'000;   // the numbers stand near the head of 1 MB
constexpr std::uint64_t kProgramText = 1 << 18;  // nvcc's own text lies 40 KB into its constants

/// The digits and dots at the front.
std::string leading_version(std::string_view text) {
  std::string_view version =
      text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
  while (version.ends_with('.')) {
    version.remove_suffix(1);
  }
  return std::string(version);
}

class Reader {
 public:
  Reader(CudaFiles& files, CudaToolkit& toolkit) : files_(files), toolkit_(toolkit) {}

  void headers() {
    header("cuda.h", "CUDA_VERSION", ToolkitVersionSource::cuda_header);
    header("cuda_runtime_api.h", "CUDART_VERSION", ToolkitVersionSource::runtime_header);
  }

  void version_json() {
    const std::string path = files_.join(toolkit_.path, "version.json");
    if (!files_.is_file(path)) {
      return;
    }
    const auto text = files_.text(path);
    const auto strings = text ? json_strings(*text) : std::unexpected(text.error());
    if (!strings) {
      add(ToolkitVersionSource::version_json, Fact<std::string>::unreadable(strings.error(), path));
      return;
    }
    for (const auto& [key, source] :
         {std::pair{"cuda.version", ToolkitVersionSource::version_json},
          std::pair{"cuda_nvcc.version", ToolkitVersionSource::version_json_nvcc}}) {
      if (const auto hit = strings->find(key); hit != strings->end()) {
        add(source, Fact<std::string>::present(hit->second, path));
      }
    }
  }

  void version_txt() {
    const std::string path = files_.join(toolkit_.path, "version.txt");
    if (!files_.is_file(path)) {
      return;
    }
    constexpr std::string_view kWords = "CUDA Version ";
    const auto text = files_.start(path, kHeaderStart);
    const std::size_t at = text ? text->find(kWords) : std::string::npos;
    if (!text) {
      add(ToolkitVersionSource::version_txt, Fact<std::string>::unreadable(text.error(), path));
    } else if (at != std::string::npos) {
      add(ToolkitVersionSource::version_txt,
          Fact<std::string>::present(
              leading_version(std::string_view(*text).substr(at + kWords.size())), path));
    }
  }

  void nvcc() {
    if (toolkit_.nvcc.empty()) {
      return;
    }
    std::string program = toolkit_.nvcc;
    if (toolkit_.layout == ToolkitLayout::debian) {  // /usr/bin/nvcc is a script there
      const std::string inner = files_.join(toolkit_.path, "lib/nvidia-cuda-toolkit/bin/nvcc");
      program = files_.is_file(inner) ? inner : program;
    }
    const auto version = files_.windows() ? of_resource(program) : of_constants(program);
    if (version) {
      add(ToolkitVersionSource::nvcc, Fact<std::string>::present(*version, program));
    }
  }

  /// libcudart.so.13.0.96 by its name; cudart64_13.dll by its description. A toolkit with several
  /// is one into which somebody copied.
  void cudart() {
    for (const std::string& folder : toolkit_.library_folders) {
      for (const DirectoryEntry& entry : files_.list(folder)) {
        if (!library_name(entry.name) || library_stem(entry.name) != "cudart") {
          continue;
        }
        toolkit_.cudart = true;
        const std::string path = files_.join(folder, entry.name);
        const auto version = files_.windows() ? of_resource(path) : of_file_name(entry.name);
        if (version && entry.kind != FileKind::symlink) {
          add(ToolkitVersionSource::cudart_library, Fact<std::string>::present(*version, path));
        }
      }
    }
  }

  /// Of toolkits alone: a conda prefix "py3.11" is named after something else.
  void folder_name() {
    const bool named_after_it = toolkit_.layout == ToolkitLayout::nvidia ||
                                toolkit_.layout == ToolkitLayout::hpc_sdk ||
                                toolkit_.layout == ToolkitLayout::easybuild;
    const std::string name = to_lower_ascii(base_name(toolkit_.path));
    const std::size_t digit = name.find_first_of("0123456789");
    const std::string before = name.substr(0, std::min(digit, name.size()));
    if (!named_after_it || !(before.empty() || before == "v" || before.starts_with("cuda"))) {
      return;
    }
    if (const auto version = version_of_folder_name(name)) {
      add(ToolkitVersionSource::folder_name, Fact<std::string>::present(*version, toolkit_.path));
    }
  }

  void limits() {
    for (const std::string& folder : toolkit_.include_folders) {
      for (const char* name : {"crt/host_config.h", "host_config.h"}) {
        const std::string path = files_.join(folder, name);
        if (!files_.is_file(path)) {
          continue;
        }
        const auto text = files_.text(path);
        if (!text) {
          toolkit_.limits = Fact<HostCompilerLimits>::unreadable(text.error(), path);
          return;
        }
        const HostCompilerLimits limits = parse_host_config(*text);
        if (limits.gcc_most != 0 || limits.msc_below != 0) {  // the outer file includes the inner
          toolkit_.limits = Fact<HostCompilerLimits>::present(limits, path);
          return;
        }
      }
    }
  }

  /// The most trusted one is stated. The folder's name counts as well: a 12.4 in "cuda-12.8" was
  /// copied there, and build files go by the name.
  void conclude() {
    std::ranges::stable_sort(toolkit_.versions, {}, &ToolkitVersionNote::source);
    for (const ToolkitVersionNote& note : toolkit_.versions) {
      const std::string version = major_minor(note.version.value.value_or(""));
      if (version.empty()) {
        continue;
      }
      if (toolkit_.version.empty()) {
        toolkit_.version = version;
      }
      toolkit_.agree = toolkit_.agree && version == toolkit_.version;
    }
  }

 private:
  void add(ToolkitVersionSource source, Fact<std::string> version) {
    toolkit_.versions.push_back({source, std::move(version)});
  }

  [[nodiscard]] bool library_name(std::string_view name) const {
    return files_.windows() ? ends_with_nocase(name, ".dll")
                            : name.find(".so") != std::string_view::npos;
  }

  void header(const char* name, std::string_view macro, ToolkitVersionSource source) {
    for (const std::string& folder : toolkit_.include_folders) {
      const std::string path = files_.join(folder, name);
      if (!files_.is_file(path)) {
        continue;
      }
      toolkit_.headers = toolkit_.headers || source == ToolkitVersionSource::runtime_header;
      const auto text = files_.start(path, kHeaderStart);
      if (!text) {
        add(source, Fact<std::string>::unreadable(text.error(), path));
      } else if (const auto number = defined_number(*text, macro)) {
        if (auto version = cuda_version_of_number(*number)) {
          add(source, Fact<std::string>::present(std::move(*version), path));
        }
      }
      return;
    }
  }

  std::optional<std::string> of_resource(const std::string& path) {
    const auto pe = files_.real_files().pe(path);
    if (!pe) {
      return std::nullopt;
    }
    const auto& strings = (*pe)->version_resource;
    const auto hit = strings.find("FileDescription");
    return hit == strings.end() ? std::nullopt : version_of_description(hit->second);
  }

  static std::optional<std::string> of_file_name(std::string_view name) {
    const std::size_t at = name.find(".so.");
    const std::string version =
        at == std::string_view::npos ? std::string{} : leading_version(name.substr(at + 4));
    return std::ranges::count(version, '.') > 0 ? std::optional(version) : std::nullopt;
  }

  /// "Cuda compilation tools, release 13.0, V13.0.88" near the start of .rodata.
  std::optional<std::string> of_constants(const std::string& path) {
    const auto elf = files_.real_files().elf(path);
    const ElfSection* section = elf ? (*elf)->find_section(".rodata") : nullptr;
    const auto source = files_.real_files().open(path);
    if (section == nullptr || !source) {
      return std::nullopt;
    }
    std::string text(static_cast<std::size_t>(std::min(section->size, kProgramText)), '\0');
    if (!(*source)->read(section->offset, std::as_writable_bytes(std::span(text)))) {
      return std::nullopt;
    }
    constexpr std::string_view kWords = "Cuda compilation tools, release ";
    const std::size_t at = text.find(kWords);
    const std::size_t mark = at == std::string::npos ? at : text.find(", V", at);
    if (mark == std::string::npos || mark > at + kWords.size() + 16) {
      return std::nullopt;
    }
    std::string version = leading_version(std::string_view(text).substr(mark + 3));
    return version.empty() ? std::nullopt : std::optional(std::move(version));
  }

  CudaFiles& files_;
  CudaToolkit& toolkit_;
};

}  // namespace

std::string major_minor(std::string_view version) {
  const auto parsed = Version::parse(leading_version(version));
  if (!parsed || parsed->text().find('.') == std::string::npos) {
    return {};
  }
  return std::to_string(parsed->major()) + "." + std::to_string(parsed->minor());
}

std::optional<std::string> version_of_folder_name(std::string_view name) {
  const std::size_t at = name.find_first_of("0123456789");
  const std::string version =
      at == std::string_view::npos ? std::string{} : leading_version(name.substr(at));
  return major_minor(version).empty() ? std::nullopt : std::optional(version);
}

std::optional<std::string> version_of_description(std::string_view description) {
  constexpr std::string_view kWord = "Version ";
  const std::size_t at = description.rfind(kWord);
  std::string version = at == std::string_view::npos
                            ? std::string{}
                            : leading_version(description.substr(at + kWord.size()));
  return version.empty() ? std::nullopt : std::optional(std::move(version));
}

void read_toolkit_versions(CudaFiles& files, CudaToolkit& toolkit) {
  Reader reader(files, toolkit);
  reader.headers();
  reader.version_json();
  reader.version_txt();
  reader.nvcc();
  reader.cudart();
  reader.folder_name();
  reader.limits();
  reader.conclude();
}

}  // namespace plumb

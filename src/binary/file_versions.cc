// SPDX-License-Identifier: Apache-2.0
#include "binary/file_versions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "binary/library_version.h"
#include "binary/nvidia_names.h"

namespace plumb {

std::map<std::string, std::string> read_file_versions(const Source& source, const ElfFile& elf) {
  if (!elf.soname || !is_nvidia_library(*elf.soname)) {
    return {};
  }
  const auto names = version_symbols();
  const auto hits = find_elf_symbols(source, elf, names);
  if (!hits) {
    return {};
  }
  const auto offset_of = [&](std::string_view symbol) -> std::optional<std::uint64_t> {
    const auto index =
        static_cast<std::size_t>(std::distance(names.begin(), std::ranges::find(names, symbol)));
    if (index >= hits->size() || !(*hits)[index] || !(*hits)[index]->defined) {
      return std::nullopt;
    }
    return elf.offset_of_address((*hits)[index]->address);
  };
  return read_library_versions(source, *elf.soname, elf.machine, false, offset_of);
}

std::map<std::string, std::string> read_file_versions(const Source& source, const PeFile& pe) {
  if (!pe.dll_name || !is_nvidia_library(*pe.dll_name)) {
    return {};
  }
  const auto offsets = find_pe_exports(source, pe, version_symbols());
  const auto offset_of = [&offsets](std::string_view symbol) -> std::optional<std::uint64_t> {
    const auto found = offsets.find(symbol);
    return found == offsets.end() ? std::nullopt : std::optional(found->second);
  };
  auto versions = read_library_versions(source, *pe.dll_name, pe.machine, true, offset_of);
  if (versions.empty() && pe.file_version) {
    versions = read_resource_versions(*pe.dll_name, *pe.file_version);
  }
  return versions;
}

}  // namespace plumb

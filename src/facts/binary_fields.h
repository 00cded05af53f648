// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a snapshot keeps of a binary. Exports are left out, and of GPU code the places in the file:
// many containers hold the same images, so each different content stands there once with its count.

#include <map>
#include <string>
#include <vector>

#include "binary/binary_facts.h"
#include "facts/fields.h"

namespace plumb {

constexpr auto enum_names(Format) {
  return std::to_array<std::string_view>(
      {"elf64", "elf32", "pe32+", "pe32", "ar", "fatbin", "cubin", "ptx", "wheel", "conda"});
}

constexpr auto enum_names(Cudart) {
  return std::to_array<std::string_view>({"none", "static", "shared"});
}

/// Containers of one content in one section.
struct ContainerGroup {
  std::uint64_t count = 0;
  std::string section;              // ".nv_fatbin", "__nv_relfatbin"; "" = none
  std::vector<std::string> images;  // "sm_90a", "sm_80 empty", "compute_90 isa=8.5 cuda=130"
};

void fields(auto& visit, Is<ContainerGroup> auto& group) {
  visit("count", group.count);
  visit("section", group.section);
  visit("images", group.images);
}

[[nodiscard]] std::vector<ContainerGroup> grouped_containers(const GpuCode& code);
/// The reverse; images that are not understood and counts beyond reason are left out.
[[nodiscard]] GpuCode code_of_groups(const std::vector<ContainerGroup>& groups);

void fields(auto& visit, Is<BinaryFacts> auto& binary) {
  visit("path", binary.path);
  visit("size", binary.size);
  visit("format", binary.format);
  visit("machine", binary.machine);
  visit("name", binary.name);
  visit("needs", binary.needs);
  visit("delay_needs", binary.delay_needs);
  visit("glibc_min", binary.glibc_min);
  visit("versions", binary.versions);
  visit("cudart", binary.cudart);
  std::vector<ContainerGroup> groups = grouped_containers(binary.gpu);
  visit("gpu_code", groups);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(binary)>>) {
    binary.gpu = code_of_groups(groups);
  }
}

}  // namespace plumb

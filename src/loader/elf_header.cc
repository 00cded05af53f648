// SPDX-License-Identifier: Apache-2.0
#include "loader/elf_header.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plumb {
namespace {

using Kind = ElfHeaderVerdict::Kind;

constexpr std::uint16_t kTypeExec = 2, kTypeDyn = 3;
constexpr std::uint8_t kClass32 = 1, kClass64 = 2, kLittle = 1;
constexpr std::uint8_t kCurrentVersion = 1;
constexpr std::uint8_t kAbiSystemV = 0, kAbiGnu = 3;

bool is_64_bit(std::string_view machine) {
  return machine != "i386" && machine != "arm" && machine != "x32";
}

bool is_machine(std::uint16_t id, std::string_view machine) {
  constexpr std::array<std::pair<std::string_view, std::uint16_t>, 8> kIds = {{{"x86_64", 62},
                                                                               {"i386", 3},
                                                                               {"aarch64", 183},
                                                                               {"arm", 40},
                                                                               {"ppc64le", 21},
                                                                               {"riscv64", 243},
                                                                               {"loongarch", 258},
                                                                               {"x32", 62}}};
  const auto known = std::ranges::find(kIds, machine, &decltype(kIds)::value_type::first);
  return known == kIds.end() || known->second == id;
}

ElfHeaderVerdict wrong_class(bool is64) {
  return {Kind::other_class, is64 ? "wrong ELF class: ELFCLASS64" : "wrong ELF class: ELFCLASS32"};
}

ElfHeaderVerdict judge_type(std::uint16_t type) {
  if (type != kTypeExec && type != kTypeDyn) {
    return {Kind::refused, "only ET_DYN and ET_EXEC can be loaded"};
  }
  return {};
}

}  // namespace

ElfHeaderVerdict judge_elf_header(Bytes bytes, std::string_view machine) {
  if (bytes.size() < kElfHeaderSize) {
    return {Kind::refused, "file too short"};
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(bytes[at]); };
  if (!looks_like_elf(bytes)) {
    return {Kind::refused, "invalid ELF header"};
  }
  const bool wanted64 = is_64_bit(machine);
  if (byte(4) != (wanted64 ? kClass64 : kClass32)) {
    return wrong_class(!wanted64);
  }
  if (byte(5) != kLittle) {
    return {Kind::refused, "ELF file data encoding not little-endian"};
  }
  if (byte(6) != kCurrentVersion) {
    return {Kind::refused, "ELF file version ident does not match current one"};
  }
  if (byte(7) != kAbiSystemV && byte(7) != kAbiGnu) {
    return {Kind::refused, "ELF file OS ABI invalid"};
  }
  if (load_le<std::uint32_t>(bytes, 20) != kCurrentVersion) {
    return {Kind::refused, "ELF file version does not match current one"};
  }
  if (!is_machine(load_le<std::uint16_t>(bytes, 18), machine)) {
    return {Kind::other_machine, {}};
  }
  if (ElfHeaderVerdict type = judge_type(load_le<std::uint16_t>(bytes, 16));
      type.kind != Kind::right) {
    return type;
  }
  if (load_le<std::uint16_t>(bytes, wanted64 ? 54 : 42) != (wanted64 ? 56 : 32)) {
    return {Kind::refused, "ELF file's phentsize not the expected size"};
  }
  return {};
}

ElfHeaderVerdict judge_elf_header(const ElfFile& elf, std::string_view machine) {
  if (elf.is64 != is_64_bit(machine)) {
    return wrong_class(elf.is64);
  }
  if (elf.machine != machine) {
    return {Kind::other_machine, {}};
  }
  return judge_type(elf.type);
}

}  // namespace plumb

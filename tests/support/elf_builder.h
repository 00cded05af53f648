// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes small ELF files for tests: honest ones of any class and byte order, and, by overwriting
// fields at the places it tells, lying ones.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::test {

struct ElfSymbolSpec {
  std::string name;
  std::string version = {};  // one of the spec's definitions or needs; "" = none
  bool default_version = true;
  bool defined = true;
  std::uint8_t binding = 1;     // 0 local, 1 global, 2 weak, 10 unique
  std::uint8_t type = 2;        // function
  std::uint8_t visibility = 0;  // 2 hidden, 3 protected
  std::uint64_t value = 0x1234;
  std::uint64_t size = 8;
};

struct ElfNeedSpec {
  std::string library;
  std::vector<std::string> versions;
};

struct ElfSectionSpec {
  std::string name;
  std::string data;
  std::uint64_t flags = 2;  // allocated: 2, writable: 1, executable: 4
  std::uint32_t type = 1;   // PROGBITS
};

/// How the dynamic symbols can be counted.
enum class ElfSymbolCount { section, sysv_hash, gnu_hash, none };

struct ElfSpec {
  bool is64 = true;
  bool big_endian = false;
  std::uint16_t machine = 62;
  std::uint16_t type = 3;
  std::optional<std::string> soname = {}, rpath = {}, runpath = {}, interpreter = {};
  std::vector<std::string> needed = {};
  bool symbolic = false;
  std::uint64_t flags_1 = 0;  // DF_1_*
  std::vector<ElfSymbolSpec> symbols = {};
  std::vector<std::string> version_definitions = {};
  std::vector<ElfNeedSpec> version_needs = {};
  std::string build_id = {};  // raw bytes
  std::vector<ElfSectionSpec> sections = {};
  bool section_headers = true;
  bool count_in_section_zero = false;  // as files with more than 65,279 sections do
  ElfSymbolCount symbol_count = ElfSymbolCount::section;
};

/// Where things lie in the bytes, by name: "phdr", "dynamic", "dynstr", "dynsym", "versym",
/// "verneed", "verdef", "hash", "shstrtab", "shdr", and each section of the spec.
struct ElfImage {
  std::string bytes;
  std::map<std::string, std::size_t> at;
  std::size_t section_count = 0;
};

/// Addresses are file offsets plus kElfBase; one PT_LOAD covers all up to the spec's sections.
inline constexpr std::uint64_t kElfBase = 0x10000;

[[nodiscard]] ElfImage build_elf(const ElfSpec& spec);

/// Overwrites an integer of `width` bytes.
void poke(std::string& bytes, std::size_t offset, std::uint64_t value, std::size_t width,
          bool big_endian = false);

/// Version 1 little-endian cubins (machine 190) as fatbins hold them.
struct CubinSpec {
  std::uint16_t sm = 90;
  bool kernel = true;          // has .text.k
  unsigned toolkit = 130;      // 10 * CUDA version
  unsigned abi = 8;            // 7: header says the toolkit; 8: the note .note.nv.cuinfo does
  bool arch_specific = false;  // the header's bit for sm_90a
  std::string option = {};     // in .note.nv.tkinfo: "-arch sm_90a -m 64"
  std::size_t size = 0;        // padded to at least this
};
[[nodiscard]] std::string build_cubin(const CubinSpec& spec);

}  // namespace plumb::test

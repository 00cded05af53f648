// SPDX-License-Identifier: Apache-2.0
#pragma once
// ELF files as the dynamic loader sees them: 32 and 64 bit, either byte order, any machine.
// Formats: System V gABI (ELF-32/64), "ELF Handling For Thread-Local Storage" not needed, GNU
// symbol versioning (Drepper), DT_GNU_HASH.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "binary/export_detail.h"

namespace plumb {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;   // SHT_*
  std::uint64_t flags = 0;  // SHF_*
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint64_t entry_size = 0;
  [[nodiscard]] bool in_file() const { return type != 0 && type != 8; }  // not SHT_NULL, SHT_NOBITS
  [[nodiscard]] bool allocated() const { return (flags & 0x2) != 0; }    // SHF_ALLOC
  [[nodiscard]] bool executable() const { return (flags & 0x4) != 0; }   // SHF_EXECINSTR
};

struct ElfSegment {
  std::uint32_t type = 0;   // PT_*
  std::uint32_t flags = 0;  // PF_X 1, PF_W 2, PF_R 4
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
};

/// Versions that this file needs of one library (from .gnu.version_r).
struct ElfVersionNeed {
  std::string library;                // "libc.so.6"
  std::vector<std::string> versions;  // "GLIBC_2.17"
  std::vector<std::string> weak;      // those of them that may be missing (VER_FLG_WEAK)
};

/// DF_1_* bits that plumb looks at.
inline constexpr std::uint64_t kDf1Global = 0x2, kDf1NoOpen = 0x40, kDf1NoDefaultLibraries = 0x800,
                               kDf1Pie = 0x8000000;

struct ElfFile {
  bool is64 = true;
  bool big_endian = false;
  bool odd_header = false;  // another OS ABI or version than Linux has
  std::uint16_t type = 0;   // ET_REL 1, ET_EXEC 2, ET_DYN 3
  std::uint16_t machine_id = 0;
  std::string machine;  // "x86_64", "i386", "aarch64", "arm", "ppc64", "ppc64le", "riscv64",
                        // "s390x", "cuda", "machine N"
  std::vector<ElfSection> sections;
  std::vector<ElfSegment> segments;
  std::optional<std::string> interpreter;
  std::optional<std::string> soname;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::vector<std::string> needed;  // in file order
  bool symbolic = false;            // DT_SYMBOLIC or DF_SYMBOLIC: looks into itself first
  std::uint64_t flags_1 = 0;        // DT_FLAGS_1: DF_1_*
  std::vector<ElfVersionNeed> version_needs;
  std::vector<std::string>
      version_definitions;  // from .gnu.version_d, the file's own name included
  /// Highest GLIBC_ version needed, "2.28"; empty if none. GLIBC_ABI_DT_RELR counts as 2.36
  /// (glibc's NEWS).
  std::optional<std::string> glibc_min;
  std::string build_id;  // hex; "" if there is none

  /// Exports: dynamic symbols that are defined, not local, not hidden: what `nm -D --defined-only`
  /// lists in upper case or as weak. `exports` only with ExportDetail::names: "name",
  /// "name@@DEFAULT_VERSION", "name@OTHER_VERSION" (also where another library's variable was
  /// copied into a program).
  std::uint64_t export_count = 0;
  std::vector<std::string> exports;

  /// Parts that could not be read; the rest stands.
  std::vector<Error> faults;

  [[nodiscard]] const ElfSection* find_section(std::string_view name) const;
  /// Where the byte at a virtual address lies in the file.
  [[nodiscard]] std::optional<std::uint64_t> offset_of_address(std::uint64_t address) const;
};

struct ElfOptions {
  ExportDetail exports = ExportDetail::count;
};

[[nodiscard]] bool looks_like_elf(Bytes first_bytes);

/// Errors (only when nothing can be said): not_binary, truncated, malformed.
[[nodiscard]] Result<ElfFile> read_elf(const Source& source, const ElfOptions& options);

/// Looks some symbols up by name in the dynamic symbol table (linear: meant for small tables).
struct ElfSymbolHit {
  bool defined = false;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};
/// One result for each of `names`, empty where the table has no such symbol.
[[nodiscard]] Result<std::vector<std::optional<ElfSymbolHit>>> find_elf_symbols(
    const Source& source, const ElfFile& elf, std::span<const std::string_view> names);

}  // namespace plumb

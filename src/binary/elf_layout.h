// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by elf.cc and elf_symbols.cc: integers in the file's byte order, and the dynamic table's
// addresses.

#include <cstdint>
#include <map>
#include <span>

#include "base/source.h"
#include "binary/elf.h"

namespace plumb {

/// Fields of one record, in the file's byte order.
class ElfRecord {
 public:
  ElfRecord(Bytes bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}
  template <class T>
  [[nodiscard]] T at(std::size_t offset) const {
    const T value = load_le<T>(bytes_, offset);
    return big_endian_ ? std::byteswap(value) : value;
  }
  /// A field that is 4 bytes wide in ELF-32 and 8 in ELF-64.
  [[nodiscard]] std::uint64_t word(std::size_t offset32, std::size_t offset64, bool is64) const {
    return is64 ? at<std::uint64_t>(offset64) : at<std::uint32_t>(offset32);
  }

 private:
  Bytes bytes_;
  bool big_endian_;
};

/// DT_* tags that plumb uses.
inline constexpr std::uint64_t kDtNeeded = 1, kDtHash = 4, kDtStrtab = 5, kDtSymtab = 6,
                               kDtStrsz = 10, kDtSoname = 14, kDtRpath = 15, kDtSymbolic = 16,
                               kDtRunpath = 29, kDtRela = 7, kDtRelaSize = 8, kDtRel = 17,
                               kDtRelSize = 18, kDtPltRel = 20, kDtJmpRel = 23, kDtPltRelSize = 2,
                               kDtFlags = 30, kDtFlags1 = 0x6ffffffb, kDtGnuHash = 0x6ffffef5,
                               kDtVersym = 0x6ffffff0, kDtVerdef = 0x6ffffffc,
                               kDtVerdefnum = 0x6ffffffd, kDtVerneed = 0x6ffffffe,
                               kDtVerneednum = 0x6fffffff;

/// The dynamic section: single-valued tags (the last one wins, as in ld.so) and DT_NEEDED in order.
struct ElfDynamic {
  std::map<std::uint64_t, std::uint64_t> values;
  std::vector<std::uint64_t> needed;  // offsets into the string table
  [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t tag) const {
    const auto found = values.find(tag);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

[[nodiscard]] Result<ElfDynamic> read_elf_dynamic(PagedReader& reader, const ElfFile& elf);

/// The dynamic symbol table as a range of the file.
struct ElfSymbolTable {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  std::uint64_t strings_offset = 0;
  std::uint64_t strings_size = 0;
  std::uint64_t versions_offset = 0;  // .gnu.version; 0 = none
};
/// Empty: the file has none.
[[nodiscard]] Result<std::optional<ElfSymbolTable>> find_elf_symbol_table(
    PagedReader& reader, const ElfFile& elf, const ElfDynamic& dynamic);

/// Fills export_count and, for ExportDetail::names, exports.
[[nodiscard]] Result<void> read_elf_exports(const Source& source, const ElfDynamic& dynamic,
                                            ExportDetail detail, ElfFile& elf);

/// A version that symbols refer to by index.
struct ElfVersion {
  std::string name;
  bool defined = false;  // by this file (verdef); else needed of another (verneed)
  bool base = false;     // VER_FLG_BASE: names the file itself, no version of symbols
  bool hidden = false;   // a need that only the very version satisfies
  std::string library;   // of a need: the library that should define it
};

/// Versions by index: definitions and, into elf.version_needs too, needs.
[[nodiscard]] Result<std::map<std::uint16_t, ElfVersion>> read_elf_versions(
    PagedReader& reader, const ElfDynamic& dynamic, ElfFile& elf);

}  // namespace plumb

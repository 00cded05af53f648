// SPDX-License-Identifier: Apache-2.0
#pragma once
// The dynamic symbols of one ELF object, held so that many names can be looked up in it as ld.so
// does: by its GNU or SysV hash table, with symbol versions.
//
// Sources: System V gABI ("Hash Table"), DT_GNU_HASH as in binutils, Drepper's "ELF Symbol
// Versioning", glibc's elf/dl-lookup.c (do_lookup_x, check_match).

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "binary/elf.h"
#include "binary/elf_layout.h"

namespace plumb {

/// A name with both its hashes, made once for all objects that it is looked up in.
struct ElfWantedSymbol {
  std::string_view name;
  std::uint32_t gnu_hash = 0;
  std::uint32_t sysv_hash = 0;
  const ElfVersion* version = nullptr;  // none asked for

  [[nodiscard]] static ElfWantedSymbol of(std::string_view name, const ElfVersion* version);
};

struct ElfUndefinedSymbol {
  std::uint32_t index = 0;  // in the symbol table: what relocations name
  bool weak = false;
  ElfWantedSymbol wanted;
};

class ElfSymbolIndex {
 public:
  /// An object without dynamic symbols gives an empty index. Errors: truncated, malformed, limit.
  [[nodiscard]] static Result<ElfSymbolIndex> read(const Source& source, const ElfFile& elf);

  /// True if ld.so would take this object's definition.
  [[nodiscard]] bool defines(const ElfWantedSymbol& wanted) const;

  /// What other objects have to define, in symbol table order; symbols that bind to the object
  /// itself (hidden, local) are left out. Error: limit, where the names are absurdly long (many
  /// symbols may share one).
  [[nodiscard]] Result<std::vector<ElfUndefinedSymbol>> undefined() const;

  /// Indices of symbols that a relocation names: only these are ever looked up.
  [[nodiscard]] static Result<std::set<std::uint32_t>> relocated(const Source& source,
                                                                 const ElfFile& elf);

 private:
  struct Symbol;
  [[nodiscard]] Symbol symbol(std::uint64_t index) const;
  [[nodiscard]] bool has_name(const Symbol& symbol, std::string_view name) const;
  [[nodiscard]] const ElfVersion* version_of(std::uint64_t index) const;
  [[nodiscard]] std::uint32_t word(std::uint64_t offset) const;

  bool is64_ = true;
  bool big_endian_ = false;
  std::uint64_t count_ = 0;
  std::vector<std::byte> symbols_;
  std::vector<std::byte> strings_;
  std::vector<std::byte> version_indices_;  // empty: no versions
  std::shared_ptr<const std::map<std::uint16_t, ElfVersion>> versions_;
  std::vector<const ElfVersion*> version_at_;  // by index; null where there is none

  enum class Table : std::uint8_t { none, gnu, sysv } table_ = Table::none;
  std::vector<std::byte> hash_;  // the table's words, from its header on
  std::uint32_t buckets_ = 0;
  std::uint32_t first_hashed_ = 0;  // GNU: symbols below are not in the table
  std::uint32_t bloom_words_ = 0;
  std::uint32_t bloom_shift_ = 0;
};

[[nodiscard]] std::uint32_t gnu_symbol_hash(std::string_view name);
[[nodiscard]] std::uint32_t sysv_symbol_hash(std::string_view name);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbols of a replayed Linux process, looked up as ld.so does when it relocates with RTLD_NOW.
//
// Sources: glibc's elf/dl-lookup.c and dl-version.c; System V gABI; Drepper, "ELF Symbol
// Versioning"; measured against `ldd -r` (tools/compare_symbols.py).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "loader/linux_process.h"

namespace plumb {

struct MissingSymbol {
  std::string symbol;       // mangled
  std::string version;      // "GLIBCXX_3.4.30"; "" = none asked for
  std::string file;         // that wants it
  std::string expected_in;  // the library that should have had it, as named; "" = not said
  std::string also_in;      // another file of that library that has it; filled in by who knows them
  /// The library is there and lacks the whole version: "version `X' not found (required by F)".
  /// `symbol` is "" then.
  bool whole_version = false;
};

struct SymbolCheck {
  std::vector<MissingSymbol> missing;  // by object, in symbol table order
  std::vector<Error> errors;           // files whose tables could not be read
  std::uint64_t looked_up = 0;
};

/// Every undefined strong symbol that a relocation of these objects refers to, and every version
/// that they need.
[[nodiscard]] SymbolCheck check_symbols(const LinuxProcess& process,
                                        std::span<const std::size_t> objects);

}  // namespace plumb

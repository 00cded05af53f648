// SPDX-License-Identifier: Apache-2.0
#pragma once
// A DLL's export directory for many look-ups: the tables are read once, a name costs a binary
// search in memory.
//
// Names are looked for as Windows' loader does it: where the importer's hint points, then by binary
// search of a table that should be sorted. In one that is not, what the search misses is missing,
// for GetProcAddress too.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "binary/pe.h"

namespace plumb {

/// What an import leads to.
struct PeProcedure {
  std::uint32_t ordinal = 0;  // base included
  std::uint32_t rva = 0;
  std::string forwarder;  // "NTDLL.RtlAllocateHeap", "NTDLL.#12", or "" when the code is here
};

/// A forwarder's two halves.
struct PeForwarder {
  std::string module;  // "NTDLL.dll": ".dll" is added where there is no extension
  std::string name;    // "" when it is an ordinal
  std::uint16_t ordinal = 0;
};

/// Empty if the text has no module or no name.
[[nodiscard]] std::optional<PeForwarder> parse_forwarder(std::string_view text);

class PeExportTable {
 public:
  /// A DLL without exports gives an empty table. Errors: malformed, truncated, limit (as
  /// read_pe()'s for exports), or the source's.
  [[nodiscard]] static Result<PeExportTable> read(const Source& source, const PeFile& file);

  [[nodiscard]] std::optional<PeProcedure> find(std::string_view name,
                                                std::uint16_t hint = 0) const;
  [[nodiscard]] std::optional<PeProcedure> find_ordinal(std::uint32_t ordinal) const;

  [[nodiscard]] std::size_t name_count() const { return names_.size(); }
  /// In table order; "" for one that lies nowhere.
  [[nodiscard]] std::string_view name(std::size_t index) const;
  [[nodiscard]] std::uint64_t kept_bytes() const;

 private:
  [[nodiscard]] std::optional<PeProcedure> at_index(std::size_t index) const;

  PeDirectory directory_;
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> addresses_;
  std::vector<std::uint32_t> names_;  // RVAs
  std::vector<std::uint16_t> indexes_;
  /// The directory's own bytes: linkers put all texts there.
  std::vector<std::byte> texts_;
  /// Texts that lie elsewhere, by RVA.
  std::map<std::uint32_t, std::string> other_texts_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The dynamic symbol table has no size of its own in the loader's view: ld.so never needs one. It
// is taken from, in this order, the SHT_DYNSYM section at the same address, DT_HASH's chain count,
// or the longest DT_GNU_HASH chain.

#include <algorithm>
#include <array>
#include <set>

#include "binary/elf_layout.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxSymbols = 8'000'000;
constexpr std::uint64_t kMaxStrings = 64 << 20;
constexpr std::size_t kMaxName = 64 * 1024;        // mangled C++ names are long
constexpr std::size_t kMaxExportNames = 64 << 20;  // of all exports together, as kept in memory
constexpr std::uint64_t kMaxVersions = 32'768;
constexpr std::uint64_t kMaxVersionNames = 4 << 20;  // of all version names together
constexpr std::uint32_t kShtDynsym = 11;

Result<std::uint64_t> count_by_gnu_hash(PagedReader& reader, const ElfFile& elf,
                                        std::uint64_t offset) {
  PLUMB_ASSIGN(const Bytes head, reader.read(offset, 16));
  const ElfRecord record(head, elf.big_endian);
  const std::uint64_t buckets = record.at<std::uint32_t>(0);
  const std::uint64_t first = record.at<std::uint32_t>(4);
  const std::uint64_t bloom_words = record.at<std::uint32_t>(8);
  const std::uint64_t buckets_at = offset + 16 + bloom_words * (elf.is64 ? 8 : 4);
  if (buckets > kMaxSymbols) {
    return fail(ErrorCode::limit, "more symbol hash buckets than plumb reads");
  }
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    PLUMB_ASSIGN(const Bytes raw, reader.read(buckets_at + i * 4, 4));
    last = std::max<std::uint64_t>(last, ElfRecord(raw, elf.big_endian).at<std::uint32_t>(0));
  }
  if (last < first) {
    return first;
  }
  for (; last < kMaxSymbols; ++last) {  // the chain of the highest bucket ends with an odd hash
    PLUMB_ASSIGN(const Bytes raw, reader.read(buckets_at + buckets * 4 + (last - first) * 4, 4));
    if ((ElfRecord(raw, elf.big_endian).at<std::uint32_t>(0) & 1) != 0) {
      return last + 1;
    }
  }
  return fail(ErrorCode::limit, "more dynamic symbols than plumb reads");
}

struct Symbol {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, size;
  [[nodiscard]] bool defined() const { return section != 0; }
  [[nodiscard]] bool exported() const {
    const unsigned binding = info >> 4;
    const unsigned type = info & 15;
    const unsigned visibility = other & 3;
    return defined() && (binding == 1 || binding == 2 || binding == 10) && type != 3 && type != 4 &&
           (visibility == 0 || visibility == 3);  // global, weak, unique; default or protected
  }
};

/// Calls visit(index, symbol) for each entry, reading the table in pieces.
template <class Visit>
Result<void> for_each_symbol(const Source& source, const ElfFile& elf, const ElfSymbolTable& table,
                             Visit visit) {
  const std::uint64_t record_size = elf.is64 ? 24 : 16;
  constexpr std::uint64_t kBatch = 8192;
  std::vector<std::byte> batch;
  for (std::uint64_t begin = 0; begin < table.count; begin += kBatch) {
    const std::uint64_t count = std::min(kBatch, table.count - begin);
    batch.resize(static_cast<std::size_t>(count * record_size));
    PLUMB_TRY(source.read(table.offset + begin * record_size, batch));
    for (std::uint64_t i = 0; i < count; ++i) {
      const ElfRecord record(Bytes(batch).subspan(static_cast<std::size_t>(i * record_size),
                                                  static_cast<std::size_t>(record_size)),
                             elf.big_endian);
      const std::size_t info = elf.is64 ? 4 : 12;
      visit(begin + i, Symbol{record.at<std::uint32_t>(0), record.at<std::uint8_t>(info),
                              record.at<std::uint8_t>(info + 1), record.at<std::uint16_t>(info + 2),
                              record.word(4, 8, elf.is64), record.word(8, 16, elf.is64)});
    }
  }
  return {};
}

std::string_view name_in(std::string_view strings, std::uint64_t offset) {
  if (offset >= strings.size()) {
    return {};
  }
  const std::string_view rest = strings.substr(static_cast<std::size_t>(offset), kMaxName);
  return rest.substr(0, rest.find('\0'));
}

/// The same as name_in(strings, offset) == name, whatever the length of what stands there.
bool has_name(std::string_view strings, std::uint64_t offset, std::string_view name) {
  if (offset >= strings.size()) {
    return false;
  }
  const std::string_view rest = strings.substr(static_cast<std::size_t>(offset));
  return rest.starts_with(name) && (rest.size() == name.size() || rest[name.size()] == '\0');
}

/// One pass over verdef or verneed; both are linked lists whose steps are relative and may loop or
/// run away.
class VersionList {
 public:
  VersionList(PagedReader& reader, const ElfFile& elf, std::uint64_t strings)
      : reader_(reader), elf_(elf), strings_(strings) {}
  Result<std::string> name(std::uint64_t offset) {
    PLUMB_ASSIGN(std::string text, reader_.read_string(strings_ + offset, 4096));
    if (text.size() > room_) {
      return fail(ErrorCode::limit, "the symbol version names are longer than plumb reads");
    }
    room_ -= text.size();
    return text;
  }
  Result<ElfRecord> record(std::uint64_t offset, std::uint64_t size) {
    if (++steps_ > kMaxVersions) {
      return fail(ErrorCode::loop, "the symbol version list does not end");
    }
    PLUMB_ASSIGN(bytes_, reader_.read(offset, size));
    return ElfRecord(bytes_, elf_.big_endian);
  }

 private:
  PagedReader& reader_;
  const ElfFile& elf_;
  std::uint64_t strings_;
  std::uint64_t steps_ = 0;
  std::uint64_t room_ = kMaxVersionNames;
  Bytes bytes_;
};

}  // namespace

Result<std::optional<ElfSymbolTable>> find_elf_symbol_table(PagedReader& reader, const ElfFile& elf,
                                                            const ElfDynamic& dynamic) {
  const auto symbols_address = dynamic.value(kDtSymtab);
  const auto strings_address = dynamic.value(kDtStrtab);
  if (!symbols_address || !strings_address) {
    return std::nullopt;
  }
  const auto symbols = elf.offset_of_address(*symbols_address);
  const auto strings = elf.offset_of_address(*strings_address);
  if (!symbols || !strings) {
    return fail(ErrorCode::malformed, "the dynamic symbol table lies in no segment");
  }
  const std::uint64_t record_size = elf.is64 ? 24 : 16;
  ElfSymbolTable table;
  table.offset = *symbols;
  table.strings_offset = *strings;
  table.strings_size = dynamic.value(kDtStrsz).value_or(0);
  const auto section = std::ranges::find_if(elf.sections, [&](const ElfSection& candidate) {
    return candidate.type == kShtDynsym && candidate.address == *symbols_address;
  });
  const auto hash = dynamic.value(kDtHash);
  const auto gnu_hash = dynamic.value(kDtGnuHash);
  if (section != elf.sections.end()) {
    table.count = section->size / record_size;
  } else if (const auto at = hash ? elf.offset_of_address(*hash) : std::nullopt) {
    PLUMB_ASSIGN(const Bytes raw, reader.read(*at + 4, 4));
    table.count = ElfRecord(raw, elf.big_endian).at<std::uint32_t>(0);
  } else if (const auto gnu_at = gnu_hash ? elf.offset_of_address(*gnu_hash) : std::nullopt) {
    PLUMB_ASSIGN(table.count, count_by_gnu_hash(reader, elf, *gnu_at));
  }
  if (table.count > kMaxSymbols) {
    return fail(ErrorCode::limit,
                std::to_string(table.count) + " dynamic symbols are more than plumb reads");
  }
  if (!fits(table.offset, table.count * record_size, reader.size())) {
    return fail(ErrorCode::truncated, "the dynamic symbol table ends past the end of the file");
  }
  if (const auto versions = dynamic.value(kDtVersym)) {
    table.versions_offset = elf.offset_of_address(*versions).value_or(0);
  }
  return table;
}

Result<std::map<std::uint16_t, ElfVersion>> read_elf_versions(PagedReader& reader,
                                                              const ElfDynamic& dynamic,
                                                              ElfFile& elf) {
  std::map<std::uint16_t, ElfVersion> names;
  const auto strings_address = dynamic.value(kDtStrtab);
  const auto strings = strings_address ? elf.offset_of_address(*strings_address) : std::nullopt;
  if (!strings) {
    return names;
  }
  const auto offset_of = [&](std::uint64_t tag) {
    const auto address = dynamic.value(tag);
    return address ? elf.offset_of_address(*address) : std::nullopt;
  };
  VersionList list(reader, elf, *strings);
  if (const auto begin = offset_of(kDtVerneed)) {
    std::uint64_t at = *begin;
    for (std::uint64_t i = dynamic.value(kDtVerneednum).value_or(kMaxVersions); i > 0; --i) {
      PLUMB_ASSIGN(const ElfRecord need, list.record(at, 16));
      const std::uint64_t versions = need.at<std::uint16_t>(2);
      const std::uint64_t file = need.at<std::uint32_t>(4);
      std::uint64_t inner = at + need.at<std::uint32_t>(8);
      const std::uint64_t next = need.at<std::uint32_t>(12);
      ElfVersionNeed found;
      PLUMB_ASSIGN(found.library, list.name(file));
      for (std::uint64_t j = 0; j < versions; ++j) {
        PLUMB_ASSIGN(const ElfRecord version, list.record(inner, 16));
        constexpr unsigned kWeak = 2, kHidden = 0x8000;
        const bool weak = (version.at<std::uint16_t>(4) & kWeak) != 0;
        const auto other = version.at<std::uint16_t>(6);
        const auto index = static_cast<std::uint16_t>(other & 0x7fff);
        const std::uint64_t name_offset = version.at<std::uint32_t>(8);
        const std::uint64_t step = version.at<std::uint32_t>(12);
        PLUMB_ASSIGN(std::string name, list.name(name_offset));
        names[index] = {name, false, false, (other & kHidden) != 0, found.library};
        if (weak) {
          found.weak.push_back(name);
        }
        found.versions.push_back(std::move(name));
        if (step == 0) {
          break;
        }
        inner += step;
      }
      elf.version_needs.push_back(std::move(found));
      if (next == 0) {
        break;
      }
      at += next;
    }
  }
  if (const auto begin = offset_of(kDtVerdef)) {
    std::uint64_t at = *begin;
    for (std::uint64_t i = dynamic.value(kDtVerdefnum).value_or(kMaxVersions); i > 0; --i) {
      PLUMB_ASSIGN(const ElfRecord definition, list.record(at, 20));
      const bool base = (definition.at<std::uint16_t>(2) & 1) != 0;  // VER_FLG_BASE
      const auto index = static_cast<std::uint16_t>(definition.at<std::uint16_t>(4) & 0x7fff);
      const std::uint64_t inner = at + definition.at<std::uint32_t>(12);
      const std::uint64_t next = definition.at<std::uint32_t>(16);
      PLUMB_ASSIGN(const ElfRecord auxiliary, list.record(inner, 8));
      PLUMB_ASSIGN(std::string name, list.name(auxiliary.at<std::uint32_t>(0)));
      elf.version_definitions.push_back(name);
      names[index] = {std::move(name), true, base, false, {}};
      if (next == 0) {
        break;
      }
      at += next;
    }
  }
  return names;
}

Result<void> read_elf_exports(const Source& source, const ElfDynamic& dynamic, ExportDetail detail,
                              ElfFile& elf) {
  PagedReader reader(source);
  auto versions = read_elf_versions(reader, dynamic, elf);
  if (!versions) {  // the symbols are there all the same
    elf.faults.push_back(std::move(versions).error().while_doing("reading the symbol versions"));
    versions.emplace();
  }
  if (detail == ExportDetail::none) {
    return {};
  }
  PLUMB_ASSIGN(const auto table, find_elf_symbol_table(reader, elf, dynamic));
  if (!table) {
    return {};
  }
  if (detail == ExportDetail::count) {
    return for_each_symbol(source, elf, *table, [&elf](std::uint64_t, const Symbol& symbol) {
      elf.export_count += symbol.exported() ? 1 : 0;
    });
  }
  PLUMB_ASSIGN(const std::vector<std::byte> strings,
               read_range(source, table->strings_offset, table->strings_size, kMaxStrings));
  std::vector<std::byte> version_indices;
  if (table->versions_offset != 0) {
    PLUMB_ASSIGN(version_indices,
                 read_range(source, table->versions_offset, table->count * 2, kMaxStrings));
  }
  std::size_t room = kMaxExportNames;
  bool all = true;
  PLUMB_TRY(for_each_symbol(source, elf, *table, [&](std::uint64_t index, const Symbol& symbol) {
    if (!symbol.exported()) {
      return;
    }
    ++elf.export_count;
    std::string name(all ? name_in(as_text(strings), symbol.name) : std::string_view());
    if (!version_indices.empty()) {
      const auto raw = ElfRecord(version_indices, elf.big_endian)
                           .at<std::uint16_t>(static_cast<std::size_t>(index * 2));
      const auto version = versions->find(static_cast<std::uint16_t>(raw & 0x7fff));
      // The absolute symbols that stand for the versions themselves have none, as in binutils.
      if ((raw & 0x7fff) > 1 && version != versions->end() && version->second.name != name) {
        // Of a needed version: a program's own copy of another library's variable (stdout).
        name += (raw & 0x8000) != 0 || !version->second.defined ? "@" : "@@";
        name += version->second.name;
      }
    }
    const std::size_t cost = name.size() + sizeof name;
    all = all && cost <= room;
    if (all) {
      room -= cost;
      elf.exports.push_back(std::move(name));
    }
  }));
  return all ? Result<void>()
             : fail(ErrorCode::limit, "the exported names are longer than plumb lists");
}

Result<std::vector<std::optional<ElfSymbolHit>>> find_elf_symbols(
    const Source& source, const ElfFile& elf, std::span<const std::string_view> names) {
  std::vector<std::optional<ElfSymbolHit>> hits(names.size());
  PagedReader reader(source);
  PLUMB_ASSIGN(const ElfDynamic dynamic, read_elf_dynamic(reader, elf));
  PLUMB_ASSIGN(const auto table, find_elf_symbol_table(reader, elf, dynamic));
  if (!table) {
    return hits;
  }
  PLUMB_ASSIGN(const std::vector<std::byte> strings,
               read_range(source, table->strings_offset, table->strings_size, kMaxStrings));
  PLUMB_TRY(for_each_symbol(source, elf, *table, [&](std::uint64_t, const Symbol& symbol) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (has_name(as_text(strings), symbol.name, names[i]) && (!hits[i] || symbol.defined())) {
        hits[i] = ElfSymbolHit{symbol.defined(), symbol.value, symbol.size};
      }
    }
  }));
  return hits;
}

}  // namespace plumb

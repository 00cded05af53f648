// SPDX-License-Identifier: Apache-2.0
// The tables are used as they lie in the file. A symbol that stands in the symbol table and cannot
// be reached by the hash table does not exist for ld.so, so it does not here; chains are bounded by
// the number of symbols, since those of a damaged file may run in a circle.
#include "binary/elf_symbol_index.h"

#include <algorithm>
#include <array>

namespace plumb {
namespace {

constexpr std::uint64_t kMaxStrings = 256 << 20;
constexpr std::uint64_t kMaxSymbolBytes = 256 << 20;
constexpr std::uint64_t kMaxHashBytes = 128 << 20;
constexpr std::uint64_t kMaxRelocationBytes = 512 << 20;
constexpr std::size_t kMaxName = 64 * 1024;         // mangled C++ names are long
constexpr std::size_t kMaxNameBytes = 256U << 20U;  // of all names that are looked up
constexpr unsigned kHiddenVersion = 0x8000;
constexpr unsigned kVersionMask = 0x7fff;
constexpr unsigned kGlobal = 1, kWeak = 2, kUnique = 10;

}  // namespace

struct ElfSymbolIndex::Symbol {
  std::uint32_t name = 0;
  unsigned binding = 0, type = 0, visibility = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
};

std::uint32_t gnu_symbol_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) {
    hash = hash * 33 + static_cast<unsigned char>(c);
  }
  return hash;
}

std::uint32_t sysv_symbol_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash & 0xf0000000U;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

ElfWantedSymbol ElfWantedSymbol::of(std::string_view name, const ElfVersion* version) {
  return {name, gnu_symbol_hash(name), sysv_symbol_hash(name), version};
}

Result<ElfSymbolIndex> ElfSymbolIndex::read(const Source& source, const ElfFile& elf) {
  ElfSymbolIndex index;
  index.is64_ = elf.is64;
  index.big_endian_ = elf.big_endian;
  PagedReader reader(source);
  PLUMB_ASSIGN(const ElfDynamic dynamic, read_elf_dynamic(reader, elf));
  PLUMB_ASSIGN(const auto table, find_elf_symbol_table(reader, elf, dynamic));
  if (!table || table->count == 0) {
    return index;
  }
  const std::uint64_t record_size = elf.is64 ? 24 : 16;
  index.count_ = table->count;
  PLUMB_ASSIGN(index.symbols_,
               read_range(source, table->offset, table->count * record_size, kMaxSymbolBytes));
  PLUMB_ASSIGN(index.strings_,
               read_range(source, table->strings_offset, table->strings_size, kMaxStrings));

  ElfFile scratch;  // takes the lists of versions that `elf` has already
  scratch.is64 = elf.is64;
  scratch.big_endian = elf.big_endian;
  scratch.segments = elf.segments;
  PLUMB_ASSIGN(auto versions, read_elf_versions(reader, dynamic, scratch));
  if (table->versions_offset != 0 && !versions.empty()) {
    PLUMB_ASSIGN(index.version_indices_,
                 read_range(source, table->versions_offset, table->count * 2, kMaxSymbolBytes));
    index.versions_ =
        std::make_shared<const std::map<std::uint16_t, ElfVersion>>(std::move(versions));
    index.version_at_.resize(std::size_t{index.versions_->rbegin()->first} + 1);
    for (const auto& [number, version] : *index.versions_) {
      if (!version.base) {
        index.version_at_[number] = &version;
      }
    }
  }

  const auto read_table = [&](std::uint64_t at, std::uint64_t size) -> Result<void> {
    PLUMB_ASSIGN(index.hash_, read_range(source, at, size, kMaxHashBytes));
    return {};
  };
  const auto offset_of = [&](std::uint64_t tag) {
    const auto address = dynamic.value(tag);
    return address ? elf.offset_of_address(*address) : std::nullopt;
  };
  if (const auto at = offset_of(kDtGnuHash)) {
    PLUMB_TRY(read_table(*at, 16));
    index.buckets_ = index.word(0);
    index.first_hashed_ = index.word(4);
    index.bloom_words_ = index.word(8);
    index.bloom_shift_ = index.word(12);
    const std::uint64_t bloom = std::uint64_t{index.bloom_words_} * (elf.is64 ? 8 : 4);
    const std::uint64_t chain =
        table->count > index.first_hashed_ ? table->count - index.first_hashed_ : 0;
    PLUMB_TRY(read_table(*at, 16 + bloom + std::uint64_t{index.buckets_} * 4 + chain * 4));
    index.table_ = Table::gnu;
  } else if (const auto sysv = offset_of(kDtHash)) {
    PLUMB_TRY(read_table(*sysv, 8));
    index.buckets_ = index.word(0);
    const std::uint64_t chain = index.word(4);
    PLUMB_TRY(read_table(*sysv, 8 + std::uint64_t{index.buckets_} * 4 + chain * 4));
    index.table_ = Table::sysv;
  }
  return index;
}

std::uint32_t ElfSymbolIndex::word(std::uint64_t offset) const {
  if (!fits(offset, 4, hash_.size())) {
    return 0;
  }
  return ElfRecord(hash_, big_endian_).at<std::uint32_t>(static_cast<std::size_t>(offset));
}

ElfSymbolIndex::Symbol ElfSymbolIndex::symbol(std::uint64_t index) const {
  const std::size_t size = is64_ ? 24 : 16;
  const ElfRecord record(Bytes(symbols_).subspan(static_cast<std::size_t>(index) * size, size),
                         big_endian_);
  const std::size_t info_at = is64_ ? 4 : 12;
  const auto info = record.at<std::uint8_t>(info_at);
  return {record.at<std::uint32_t>(0),
          static_cast<unsigned>(info >> 4),
          static_cast<unsigned>(info & 15),
          static_cast<unsigned>(record.at<std::uint8_t>(info_at + 1) & 3),
          record.at<std::uint16_t>(info_at + 2),
          record.word(4, 8, is64_)};
}

bool ElfSymbolIndex::has_name(const Symbol& symbol, std::string_view name) const {
  if (symbol.name >= strings_.size()) {
    return false;
  }
  const std::string_view rest = as_text(strings_).substr(symbol.name);
  return rest.size() > name.size() && rest[name.size()] == '\0' && rest.starts_with(name);
}

const ElfVersion* ElfSymbolIndex::version_of(std::uint64_t index) const {
  if (version_indices_.empty()) {
    return nullptr;
  }
  const unsigned number = ElfRecord(version_indices_, big_endian_)
                              .at<std::uint16_t>(static_cast<std::size_t>(index) * 2) &
                          kVersionMask;
  return number < version_at_.size() ? version_at_[number] : nullptr;
}

bool ElfSymbolIndex::defines(const ElfWantedSymbol& wanted) const {
  std::uint64_t of_some_version = 0;  // definitions with a version, when none is asked for
  bool usable_version = false;
  const auto is_usable = [](const Symbol& found) {
    const bool exported =
        found.binding == kGlobal || found.binding == kWeak || found.binding == kUnique;
    const bool visible = found.visibility == 0 || found.visibility == 3;  // default, protected
    return exported && visible;
  };
  // The first that fits ends the search, as in ld.so, even if it may not be used from outside.
  enum class Match : std::uint8_t { no, usable, unusable };
  const auto matches = [&](std::uint64_t index) {
    const Symbol found = symbol(index);
    constexpr std::uint16_t kAbsolute = 0xfff1;
    constexpr unsigned kThreadLocal = 6;
    constexpr unsigned kAllowed = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 5 | 1U << 6 | 1U << 10;
    if (found.section == 0 ||
        (found.value == 0 && found.section != kAbsolute && found.type != kThreadLocal) ||
        (1U << found.type & kAllowed) == 0 || !has_name(found, wanted.name)) {
      return Match::no;
    }
    const Match fits_here = is_usable(found) ? Match::usable : Match::unusable;
    if (version_indices_.empty()) {
      return fits_here;  // an object without versions serves every version
    }
    const unsigned raw = ElfRecord(version_indices_, big_endian_)
                             .at<std::uint16_t>(static_cast<std::size_t>(index) * 2);
    if (wanted.version != nullptr) {
      const ElfVersion* its = version_of(index);
      const bool same = its != nullptr && its->name == wanted.version->name;
      const bool serves =
          same || (!wanted.version->hidden && its == nullptr && (raw & kHiddenVersion) == 0);
      return serves ? fits_here : Match::no;
    }
    constexpr unsigned kFirstOther = 3;  // 0 local, 1 global, 2 the first version: the oldest
    if ((raw & kVersionMask) >= kFirstOther) {
      if ((raw & kHiddenVersion) == 0 && of_some_version++ == 0) {
        usable_version = fits_here == Match::usable;
      }
      return Match::no;
    }
    return fits_here;
  };

  if (buckets_ == 0 || count_ == 0) {
    return false;
  }
  if (table_ == Table::gnu) {
    const std::uint64_t word_bits = is64_ ? 64 : 32;
    const std::uint64_t word_bytes = word_bits / 8;
    if (bloom_words_ != 0) {
      const std::uint64_t at = 16 + (wanted.gnu_hash / word_bits % bloom_words_) * word_bytes;
      const std::uint64_t bits =
          is64_ ? ElfRecord(hash_, big_endian_).at<std::uint64_t>(static_cast<std::size_t>(at))
                : word(at);
      const std::uint64_t second =
          bloom_shift_ < 32 ? wanted.gnu_hash >> bloom_shift_ : std::uint64_t{0};
      if ((bits >> (wanted.gnu_hash % word_bits) & bits >> (second % word_bits) & 1) == 0) {
        return false;
      }
    }
    const std::uint64_t buckets_at = 16 + bloom_words_ * word_bytes;
    const std::uint64_t chain_at = buckets_at + std::uint64_t{buckets_} * 4;
    std::uint64_t index = word(buckets_at + std::uint64_t{wanted.gnu_hash % buckets_} * 4);
    if (index < first_hashed_ || index == 0) {
      return false;
    }
    for (; index < count_; ++index) {
      const std::uint32_t hash = word(chain_at + (index - first_hashed_) * 4);
      if ((hash ^ wanted.gnu_hash) >> 1 == 0) {
        if (const Match match = matches(index); match != Match::no) {
          return match == Match::usable;
        }
      }
      if ((hash & 1) != 0) {
        break;
      }
    }
  } else if (table_ == Table::sysv) {
    std::uint64_t index = word(8 + std::uint64_t{wanted.sysv_hash % buckets_} * 4);
    for (std::uint64_t steps = 0; index != 0 && index < count_ && steps < count_; ++steps) {
      if (const Match match = matches(index); match != Match::no) {
        return match == Match::usable;
      }
      index = word(8 + std::uint64_t{buckets_} * 4 + index * 4);
    }
  }
  return of_some_version == 1 && usable_version;
}

Result<std::vector<ElfUndefinedSymbol>> ElfSymbolIndex::undefined() const {
  std::vector<ElfUndefinedSymbol> list;
  std::size_t room = kMaxNameBytes;
  const std::string_view strings = as_text(strings_);
  for (std::uint64_t i = 1; i < count_; ++i) {
    const Symbol found = symbol(i);
    const bool binds_elsewhere = found.section == 0 && found.visibility == 0 &&
                                 (found.binding == kGlobal || found.binding == kWeak);
    if (!binds_elsewhere || found.name >= strings.size()) {
      continue;
    }
    const std::string_view rest = strings.substr(found.name, kMaxName + 1);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name.size() > kMaxName || name.size() > room) {
      return fail(ErrorCode::limit, "the names of dynamic symbols are longer than plumb looks up");
    }
    room -= name.size();
    if (!name.empty()) {
      list.push_back({static_cast<std::uint32_t>(i), found.binding == kWeak,
                      ElfWantedSymbol::of(name, version_of(i))});
    }
  }
  return list;
}

Result<std::set<std::uint32_t>> ElfSymbolIndex::relocated(const Source& source,
                                                          const ElfFile& elf) {
  std::set<std::uint32_t> indices;
  PagedReader reader(source);
  PLUMB_ASSIGN(const ElfDynamic dynamic, read_elf_dynamic(reader, elf));
  const auto add = [&](std::uint64_t table_tag, std::uint64_t size_tag,
                       bool addends) -> Result<void> {
    const auto address = dynamic.value(table_tag);
    const auto at = address ? elf.offset_of_address(*address) : std::nullopt;
    const std::uint64_t size = dynamic.value(size_tag).value_or(0);
    if (!at || size == 0) {
      return {};
    }
    if (size > kMaxRelocationBytes || !fits(*at, size, source.size())) {
      return fail(ErrorCode::truncated, "the relocations end past the end of the file");
    }
    const std::uint64_t entry = (elf.is64 ? 16 : 8) + (addends ? (elf.is64 ? 8 : 4) : 0);
    constexpr std::uint64_t kBatch = 1 << 20;
    std::vector<std::byte> batch;
    for (std::uint64_t begin = 0; begin + entry <= size;) {
      const std::uint64_t length = std::min(kBatch / entry, (size - begin) / entry) * entry;
      batch.resize(static_cast<std::size_t>(length));
      PLUMB_TRY(source.read(*at + begin, batch));
      for (std::uint64_t i = 0; i < length; i += entry) {
        const ElfRecord record(
            Bytes(batch).subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(entry)),
            elf.big_endian);
        const std::uint64_t info = record.word(4, 8, elf.is64);
        const auto symbol = static_cast<std::uint32_t>(elf.is64 ? info >> 32 : info >> 8);
        if (symbol != 0) {
          indices.insert(symbol);
        }
      }
      begin += length;
    }
    return {};
  };
  PLUMB_TRY(add(kDtRela, kDtRelaSize, true));
  PLUMB_TRY(add(kDtRel, kDtRelSize, false));
  PLUMB_TRY(add(kDtJmpRel, kDtPltRelSize, dynamic.value(kDtPltRel).value_or(kDtRela) == kDtRela));
  return indices;
}

}  // namespace plumb

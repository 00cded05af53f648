// SPDX-License-Identifier: Apache-2.0
#include "loader/symbol_copies.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/text.h"
#include "binary/elf_symbol_index.h"
#include "binary/pe_export_table.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSearched = 200;  // of the missing symbols
constexpr std::size_t kMostFiles = 400;     // that are opened for all of them

/// The tables of files that are no part of the process.
class ElfTables {
 public:
  explicit ElfTables(FileView& files) : files_(files) {}
  static constexpr char kSeparator = '/';

  bool has(const std::string& path, const MissingSymbol& symbol) {
    const auto elf = files_.elf(path);
    if (!elf) {
      return false;
    }
    if (symbol.whole_version) {
      const auto& versions = (*elf)->version_definitions;
      return std::ranges::find(versions, symbol.version) != versions.end();
    }
    const auto [known, is_new] = tables_.try_emplace(path);
    if (is_new && tables_.size() <= kMostFiles) {
      const auto source = files_.open(path);
      auto index = source ? ElfSymbolIndex::read(**source, **elf)
                          : Result<ElfSymbolIndex>(std::unexpected(source.error()));
      if (index) {
        known->second = std::make_unique<ElfSymbolIndex>(*std::move(index));
      }
    }
    const ElfVersion version{symbol.version, false, false, false, symbol.expected_in};
    return known->second && known->second->defines(ElfWantedSymbol::of(
                                symbol.symbol, symbol.version.empty() ? nullptr : &version));
  }

 private:
  FileView& files_;
  std::map<std::string, std::unique_ptr<ElfSymbolIndex>> tables_;
};

class PeTables {
 public:
  explicit PeTables(FileView& files) : files_(files) {}
  static constexpr char kSeparator = '\\';

  bool has(const std::string& path, const MissingSymbol& symbol) {
    const auto pe = files_.pe(path);
    if (!pe) {
      return false;
    }
    const auto [known, is_new] = tables_.try_emplace(path);
    if (is_new && tables_.size() <= kMostFiles) {
      const auto source = files_.open(path);
      auto table = source ? PeExportTable::read(**source, **pe)
                          : Result<PeExportTable>(std::unexpected(source.error()));
      if (table) {
        known->second = std::make_unique<PeExportTable>(*std::move(table));
      }
    }
    if (!known->second) {
      return false;
    }
    if (!symbol.symbol.starts_with('#')) {
      return known->second->find(symbol.symbol).has_value();
    }
    std::uint32_t ordinal = 0;
    std::from_chars(symbol.symbol.data() + 1, symbol.symbol.data() + symbol.symbol.size(), ordinal);
    return known->second->find_ordinal(ordinal).has_value();
  }

 private:
  FileView& files_;
  std::map<std::string, std::unique_ptr<PeExportTable>> tables_;
};

template <class Tables, class Process>
void find_copies(const Process& process, const std::vector<std::string>& folders,
                 std::vector<MissingSymbol>& missing) {
  FileView& files = process.files();
  Tables tables(files);
  std::set<std::string> loaded;
  for (const auto& object : process.objects()) {
    loaded.insert(object.identity);
  }
  std::map<std::string, std::vector<std::string>> copies;  // by name: files that are not loaded
  const auto copies_of = [&](const std::string& name) -> const std::vector<std::string>& {
    const auto [known, is_new] = copies.try_emplace(name);
    if (is_new) {
      for (const std::string& folder : folders) {
        std::string path = folder + Tables::kSeparator + name;
        const FileEntry entry = files.entry(path);
        if (entry.kind == EntryKind::file && !loaded.contains(entry.identity)) {
          known->second.push_back(std::move(path));
        }
      }
    }
    return known->second;
  };
  for (std::size_t i = 0; i < missing.size() && i < kMostSearched; ++i) {
    MissingSymbol& symbol = missing[i];
    std::vector<std::string> names;
    if (!symbol.expected_in.empty()) {
      names.push_back(base_name(symbol.expected_in));
    } else {
      const auto object = std::ranges::find_if(
          process.objects(), [&](const auto& it) { return it.file == symbol.file; });
      if (object != process.objects().end()) {
        for (const auto& need : object->needs) {
          names.push_back(base_name(need.name));
        }
      }
    }
    for (const std::string& name : names) {
      for (const std::string& path : copies_of(name)) {
        if (symbol.also_in.empty() && tables.has(path, symbol)) {
          symbol.also_in = path;
        }
      }
    }
  }
}

}  // namespace

void find_symbol_copies(const LinuxProcess& process, const std::vector<std::string>& folders,
                        std::vector<MissingSymbol>& missing) {
  find_copies<ElfTables>(process, folders, missing);
}

void find_symbol_copies(const WindowsProcess& process, const std::vector<std::string>& folders,
                        std::vector<MissingSymbol>& missing) {
  find_copies<PeTables>(process, folders, missing);
}

}  // namespace plumb

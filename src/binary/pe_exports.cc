// SPDX-License-Identifier: Apache-2.0
// Exports (directory 0): an address table indexed by ordinal - base, and beside it a sorted table
// of names with, for each, an index into the address table. An address inside the directory itself
// is the text of a forwarder.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "binary/pe_image.h"

namespace plumb {
namespace pe {
namespace {

constexpr std::uint32_t kExportDirectorySize = 40;

struct ExportTables {
  PeDirectory directory;
  std::uint32_t dll_name = 0;
  std::uint32_t base = 0;
  std::uint32_t name_count = 0;
  std::vector<std::byte> addresses;  // u32 RVAs
  std::uint32_t names = 0;           // RVA of u32 RVAs, and ...
  std::uint32_t ordinals = 0;        // ... of u16 indexes into `addresses`

  [[nodiscard]] std::size_t count() const { return addresses.size() / 4; }
  [[nodiscard]] std::uint32_t address(std::size_t index) const {
    return load_le<std::uint32_t>(addresses, 4 * index);
  }
  [[nodiscard]] bool is_forwarder(std::uint32_t rva) const {
    return rva >= directory.rva && rva - directory.rva < directory.size;
  }
};

/// Fills `out` as far as it gets, so that the DLL's name is there even if the tables are not.
Result<void> read_tables(PeImage& image, ExportTables& out) {
  out.directory = image.directory(kExportDirectory);
  PLUMB_ASSIGN(const auto header, image.read(out.directory.rva, kExportDirectorySize));
  out.dll_name = load_le<std::uint32_t>(header, 12);
  out.base = load_le<std::uint32_t>(header, 16);
  const auto count = load_le<std::uint32_t>(header, 20);
  out.name_count = load_le<std::uint32_t>(header, 24);
  const auto addresses = load_le<std::uint32_t>(header, 28);
  out.names = load_le<std::uint32_t>(header, 32);
  out.ordinals = load_le<std::uint32_t>(header, 36);
  if (count > kMaxExports || out.name_count > kMaxExports) {
    return fail(ErrorCode::limit, std::to_string(std::max(count, out.name_count)) +
                                      " exports are more than " + std::to_string(kMaxExports));
  }
  if (count != 0) {
    PLUMB_ASSIGN(out.addresses, image.read(addresses, std::uint64_t{4} * count));
  }
  return {};
}

Result<PeExport> make_export(PeImage& image, const ExportTables& tables, std::size_t index) {
  PeExport symbol;
  symbol.ordinal = tables.base + static_cast<std::uint32_t>(index);
  symbol.rva = tables.address(index);
  if (tables.is_forwarder(symbol.rva)) {
    PLUMB_ASSIGN(symbol.forwarder, image.read_name(symbol.rva));
  }
  return symbol;
}

Result<void> read_names(PeImage& image, const ExportTables& tables, PeFile& out) {
  std::vector<bool> named(tables.count());
  if (tables.name_count != 0) {
    PLUMB_ASSIGN(const auto names, image.read(tables.names, std::uint64_t{4} * tables.name_count));
    PLUMB_ASSIGN(const auto indexes,
                 image.read(tables.ordinals, std::uint64_t{2} * tables.name_count));
    for (std::size_t i = 0; i < tables.name_count; ++i) {
      const std::size_t index = load_le<std::uint16_t>(indexes, 2 * i);
      if (index >= tables.count()) {
        return fail(ErrorCode::malformed, "an export's name belongs to no entry");
      }
      PLUMB_ASSIGN(PeExport symbol, make_export(image, tables, index));
      PLUMB_ASSIGN(symbol.name, image.read_name(load_le<std::uint32_t>(names, 4 * i)));
      named[index] = true;
      out.exports.push_back(std::move(symbol));
    }
  }
  for (std::size_t i = 0; i < tables.count(); ++i) {
    if (!named[i] && tables.address(i) != 0) {
      PLUMB_ASSIGN(PeExport symbol, make_export(image, tables, i));
      out.exports.push_back(std::move(symbol));
    }
  }
  return {};
}

/// Where `name` stands in the sorted name table; the loader searches it the same way.
std::optional<std::size_t> find_name(PeImage& image, Bytes name_table, std::string_view name) {
  std::size_t low = 0;
  std::size_t high = name_table.size() / 4;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const auto candidate = image.read_name(load_le<std::uint32_t>(name_table, 4 * middle));
    if (!candidate) {
      return std::nullopt;
    }
    const int order = candidate->compare(name);
    if (order == 0) {
      return middle;
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<void> read_exports(PeImage& image, ExportDetail detail, PeFile& out) {
  if (image.directory(kExportDirectory).rva == 0) {
    return {};
  }
  ExportTables tables;
  const Result<void> read = read_tables(image, tables);
  if (tables.dll_name != 0) {
    PLUMB_ASSIGN(out.dll_name, image.read_name(tables.dll_name));
  }
  PLUMB_TRY(read);
  for (std::size_t i = 0; i < tables.count(); ++i) {
    out.export_count += tables.address(i) != 0 ? 1U : 0U;
  }
  return detail == ExportDetail::names ? read_names(image, tables, out) : Result<void>{};
}

}  // namespace pe

std::map<std::string, std::uint64_t, std::less<>> find_pe_exports(
    const Source& source, const PeFile& file, std::span<const std::string_view> names) {
  std::map<std::string, std::uint64_t, std::less<>> found;
  pe::PeImage image(source, file);
  pe::ExportTables tables;
  if (image.directory(pe::kExportDirectory).rva == 0 || !pe::read_tables(image, tables)) {
    return found;  // read_pe() has said why
  }
  const auto name_table = image.read(tables.names, std::uint64_t{4} * tables.name_count);
  const auto indexes = image.read(tables.ordinals, std::uint64_t{2} * tables.name_count);
  if (!name_table || !indexes) {
    return found;
  }
  for (const std::string_view name : names) {
    const auto place = pe::find_name(image, *name_table, name);
    const std::size_t index = place ? load_le<std::uint16_t>(*indexes, 2 * *place) : tables.count();
    if (index >= tables.count() || tables.is_forwarder(tables.address(index))) {
      continue;
    }
    if (const auto offset = rva_to_offset(file, tables.address(index))) {
      found.emplace(name, *offset);
    }
  }
  return found;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "binary/pe_export_table.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "binary/pe_image.h"

namespace plumb {
namespace {

// TensorFlow's largest DLL has 65,535 names in 9 MB.
constexpr std::uint64_t kMaxTexts = 32U << 20;
constexpr std::uint32_t kHeader = 40;

/// Up to the NUL; empty if there is none.
std::optional<std::string_view> text_in(Bytes bytes, std::size_t offset) {
  if (offset >= bytes.size()) {
    return std::nullopt;
  }
  const std::string_view rest = as_text(bytes.subspan(offset));
  const std::size_t length = rest.substr(0, pe::kMaxName + 1).find('\0');
  return length == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, length));
}

}  // namespace

std::optional<PeForwarder> parse_forwarder(std::string_view text) {
  const std::size_t dot = text.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) {
    return std::nullopt;
  }
  PeForwarder forwarder;
  forwarder.module = text.substr(0, dot);
  if (forwarder.module.find('.') == std::string::npos) {
    forwarder.module += ".dll";
  }
  const std::string_view name = text.substr(dot + 1);
  if (name.starts_with('#')) {
    const auto ordinal = parse_decimal(name.substr(1));
    if (!ordinal || *ordinal > 0xffff) {
      return std::nullopt;
    }
    forwarder.ordinal = static_cast<std::uint16_t>(*ordinal);
  } else {
    forwarder.name = name;
  }
  return forwarder;
}

Result<PeExportTable> PeExportTable::read(const Source& source, const PeFile& file) {
  PeExportTable table;
  pe::PeImage image(source, file);
  table.directory_ = image.directory(pe::kExportDirectory);
  if (table.directory_.rva == 0) {
    return table;
  }
  PLUMB_ASSIGN(const auto header, image.read(table.directory_.rva, kHeader));
  table.base_ = load_le<std::uint32_t>(header, 16);
  const auto count = load_le<std::uint32_t>(header, 20);
  const auto name_count = load_le<std::uint32_t>(header, 24);
  if (std::max(count, name_count) > pe::kMaxExports) {
    return fail(ErrorCode::limit, std::to_string(std::max(count, name_count)) +
                                      " exports are more than " + std::to_string(pe::kMaxExports));
  }
  if (count != 0) {
    PLUMB_ASSIGN(const auto bytes, image.read(load_le<std::uint32_t>(header, 28), 4ULL * count));
    for (std::uint32_t i = 0; i < count; ++i) {
      table.addresses_.push_back(load_le<std::uint32_t>(bytes, 4 * i));
    }
  }
  if (name_count != 0) {
    PLUMB_ASSIGN(const auto names,
                 image.read(load_le<std::uint32_t>(header, 32), 4ULL * name_count));
    PLUMB_ASSIGN(const auto indexes,
                 image.read(load_le<std::uint32_t>(header, 36), 2ULL * name_count));
    for (std::uint32_t i = 0; i < name_count; ++i) {
      table.names_.push_back(load_le<std::uint32_t>(names, 4 * i));
      table.indexes_.push_back(load_le<std::uint16_t>(indexes, 2 * i));
    }
  }
  if (const auto offset = rva_to_offset(file, table.directory_.rva)) {
    const std::uint64_t length = std::min<std::uint64_t>(
        table.directory_.size, source.size() - std::min(*offset, source.size()));
    PLUMB_ASSIGN(table.texts_, read_range(source, *offset, length, kMaxTexts));
  }
  const auto keep = [&](std::uint32_t rva) {
    const bool inside = rva >= table.directory_.rva &&
                        text_in(table.texts_, rva - table.directory_.rva).has_value();
    if (!inside && !table.other_texts_.contains(rva)) {
      auto text = image.read_name(rva);  // counts against a budget
      table.other_texts_.emplace(rva, text ? *std::move(text) : "");
    }
  };
  std::ranges::for_each(table.names_, keep);
  return table;
}

std::string_view PeExportTable::name(std::size_t index) const {
  const std::uint32_t rva = names_[index];
  if (rva >= directory_.rva) {
    if (const auto text = text_in(texts_, rva - directory_.rva)) {
      return *text;
    }
  }
  const auto other = other_texts_.find(rva);
  return other == other_texts_.end() ? std::string_view() : std::string_view(other->second);
}

std::uint64_t PeExportTable::kept_bytes() const {
  std::uint64_t bytes = texts_.size() + 4 * addresses_.size() + 6 * names_.size();
  for (const auto& [rva, text] : other_texts_) {
    bytes += text.size() + 64;
  }
  return bytes;
}

std::optional<PeProcedure> PeExportTable::at_index(std::size_t index) const {
  if (index >= addresses_.size() || addresses_[index] == 0) {
    return std::nullopt;
  }
  PeProcedure procedure;
  procedure.ordinal = base_ + static_cast<std::uint32_t>(index);
  procedure.rva = addresses_[index];
  if (procedure.rva >= directory_.rva && procedure.rva - directory_.rva < directory_.size) {
    const auto text = text_in(texts_, procedure.rva - directory_.rva);
    if (!text || text->empty()) {
      return std::nullopt;  // a forwarder to nowhere
    }
    procedure.forwarder = *text;
  }
  return procedure;
}

std::optional<PeProcedure> PeExportTable::find_ordinal(std::uint32_t ordinal) const {
  return ordinal < base_ ? std::nullopt : at_index(ordinal - base_);
}

std::optional<PeProcedure> PeExportTable::find(std::string_view wanted, std::uint16_t hint) const {
  if (hint < names_.size() && name(hint) == wanted) {
    return at_index(indexes_[hint]);
  }
  std::size_t low = 0;
  std::size_t high = names_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const int order = name(middle).compare(wanted);
    if (order == 0) {
      return at_index(indexes_[middle]);
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "binary/zstd_block.h"

#include <algorithm>
#include <bit>
#include <span>

#include "binary/zstd_bits.h"

namespace plumb::zstd {
namespace {

// ---- Lengths as codes: a base and so many extra bits (RFC 8878, 3.1.1.3.2.1.1).

template <std::size_t kCodes>
struct LengthCodes {
  std::array<std::uint8_t, kCodes> bits{};
  std::array<std::uint32_t, kCodes> base{};
};

/// Codes from `first` on have `extra` bits each; the ones before have none. Bases follow from it.
template <std::size_t kCodes, std::size_t kExtra>
constexpr LengthCodes<kCodes> length_codes(std::uint32_t lowest,
                                           const std::array<std::uint8_t, kExtra>& extra) {
  LengthCodes<kCodes> codes;
  std::ranges::copy(extra, codes.bits.end() - kExtra);
  std::uint32_t base = lowest;
  for (std::size_t i = 0; i < kCodes; ++i) {
    codes.base[i] = base;
    base += std::uint32_t{1} << codes.bits[i];
  }
  return codes;
}

constexpr auto kLiteralLengths =
    length_codes<36, 20>(0, {1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
constexpr auto kMatchLengths =
    length_codes<53, 21>(3, {1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
static_assert(kLiteralLengths.base.back() == 65536 && kMatchLengths.base.back() == 65539);

// ---- The three tables: their limits, and what they are where a block says "predefined".

constexpr std::size_t kLiteralLengthTable = 0, kOffsetTable = 1, kMatchLengthTable = 2;

constexpr std::array<std::int16_t, 36> kLiteralLengthCounts = {
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
    2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::array<std::int16_t, 29> kOffsetCounts = {
    1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
constexpr std::array<std::int16_t, 53> kMatchLengthCounts = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};

struct TableKind {
  FseLimits limits;  // offsets: codes above 31 would need more than 32 bits
  std::span<const std::int16_t> predefined;
  unsigned predefined_log;
};
constexpr std::array<TableKind, 3> kKinds = {{{{9, 35}, kLiteralLengthCounts, 6},
                                              {{8, 31}, kOffsetCounts, 5},
                                              {{9, 52}, kMatchLengthCounts, 6}}};

std::size_t byte_at(Bytes bytes, std::size_t at) {
  return std::to_integer<std::size_t>(bytes[at]);
}

struct SequenceCount {
  std::size_t count = 0;
  std::size_t length = 0;  // of its own bytes
};

std::optional<SequenceCount> read_sequence_count(Bytes bytes) {
  if (bytes.empty()) {
    return std::nullopt;
  }
  const std::size_t first = byte_at(bytes, 0);
  const std::size_t length = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (bytes.size() < length) {
    return std::nullopt;
  }
  switch (length) {
    case 1:
      return SequenceCount{first, length};
    case 2:
      return SequenceCount{((first - 128) << 8) + byte_at(bytes, 1), length};
    default:
      return SequenceCount{byte_at(bytes, 1) + (byte_at(bytes, 2) << 8) + 0x7f00, length};
  }
}

}  // namespace

void Output::append(Bytes bytes) {
  const std::size_t count = std::min(bytes.size(), room());
  std::copy_n(bytes.begin(), count, bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += count;
}

void Output::append(std::byte byte, std::size_t count) {
  count = std::min(count, room());
  std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(size_), count, byte);
  size_ += count;
}

void Output::repeat(std::size_t distance, std::size_t count) {
  count = std::min(count, room());
  std::byte* to = bytes_.data() + size_;
  const std::byte* from = to - distance;
  if (distance >= count) {
    std::copy_n(from, count, to);
  } else {
    for (std::size_t i = 0; i < count; ++i) {  // source and target overlap: a pattern is repeated
      to[i] = from[i];
    }
  }
  size_ += count;
}

bool BlockDecoder::decode(Bytes block, Output& out) {
  Literals literals;
  const auto literals_length = read_literals(block, out.room(), literals);
  if (!literals_length) {
    return false;
  }
  Bytes rest = block.subspan(*literals_length);
  const auto sequences = read_sequence_count(rest);
  if (!sequences) {
    return false;
  }
  rest = rest.subspan(sequences->length);
  if (sequences->count == 0) {
    out.append(literals.bytes);
    return rest.empty();
  }
  if (rest.empty() || (byte_at(rest, 0) & 3) != 0) {
    return false;
  }
  const std::size_t modes = byte_at(rest, 0);
  rest = rest.subspan(1);
  for (std::size_t which = 0; which < tables_.size(); ++which) {
    const auto length = read_table(rest, modes >> (6 - 2 * which) & 3, which);
    if (!length) {
      return false;
    }
    rest = rest.subspan(*length);
  }
  return run_sequences(rest, sequences->count, literals, out);
}

std::optional<std::size_t> BlockDecoder::read_literals(Bytes block, std::size_t room,
                                                       Literals& literals) {
  enum Type : std::size_t { raw, single, coded, coded_by_last_table };
  if (block.empty()) {
    return std::nullopt;
  }
  const std::size_t type = byte_at(block, 0) & 3;
  const std::size_t format = byte_at(block, 0) >> 2 & 3;
  const bool has_code = type == coded || type == coded_by_last_table;
  // Sizes of both kinds stand above the 4 bits of type and format, or above 3 of them.
  const std::size_t head = has_code ? std::max<std::size_t>(3, format + 2)
                                    : std::array<std::size_t, 4>{1, 2, 1, 3}[format];
  if (block.size() < head) {
    return std::nullopt;
  }
  const std::uint64_t word = load_word(block.first(head));
  if (!has_code) {
    literals.size = static_cast<std::size_t>(word >> (head == 1 ? 3 : 4));
    const std::size_t stored = type == single ? 1 : literals.size;
    if (literals.size > kMaxBlock || !fits(head, stored, block.size())) {
      return std::nullopt;
    }
    literals.bytes = block.subspan(head, stored);
    if (type == single) {
      literal_buffer_.assign(std::min(literals.size, room), block[head]);
      literals.bytes = literal_buffer_;
    }
    return head + stored;
  }
  const unsigned width = head == 3 ? 10 : head == 4 ? 14 : 18;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  literals.size = static_cast<std::size_t>(word >> 4 & mask);
  const auto stored = static_cast<std::size_t>(word >> (4 + width) & mask);
  if (literals.size > kMaxBlock || !fits(head, stored, block.size()) ||
      !read_coded_literals(block.subspan(head, stored), type == coded, format != 0, room,
                           literals)) {
    return std::nullopt;
  }
  return head + stored;
}

// Only as many literals are decoded as can still be written: each byte of output takes at most one.
bool BlockDecoder::read_coded_literals(Bytes coded, bool own_table, bool four_streams,
                                       std::size_t room, Literals& literals) {
  if (own_table) {
    const auto length = huffman_.read(coded);
    if (!length) {
      return false;
    }
    coded = coded.subspan(*length);
  } else if (!huffman_.valid()) {
    return false;
  }
  const std::size_t needed = std::min(literals.size, room);
  literal_buffer_.resize(needed);
  literals.bytes = literal_buffer_;
  const std::span<std::byte> target(literal_buffer_);
  if (!four_streams) {
    return huffman_.decode(coded, target, needed == literals.size);
  }
  // Three sizes of 2 bytes each, then four streams; the first three unpack to a quarter, rounded
  // up.
  const std::size_t quarter = (literals.size + 3) / 4;
  if (coded.size() < 6 || 3 * quarter > literals.size) {
    return false;
  }
  Bytes streams = coded.subspan(6);
  for (std::size_t i = 0; i < 4 && i * quarter < needed; ++i) {
    const std::size_t stored = i < 3 ? load_le<std::uint16_t>(coded, 2 * i) : streams.size();
    if (stored > streams.size()) {
      return false;
    }
    const std::size_t size = i < 3 ? quarter : literals.size - 3 * quarter;
    const std::size_t part = std::min(size, needed - i * quarter);
    if (!huffman_.decode(streams.first(stored), target.subspan(i * quarter, part), part == size)) {
      return false;
    }
    streams = streams.subspan(stored);
  }
  return true;
}

std::optional<std::size_t> BlockDecoder::read_table(Bytes bytes, unsigned mode, std::size_t which) {
  enum Mode : unsigned { predefined, single, described, as_before };
  const TableKind& kind = kKinds[which];
  FseTable& table = tables_[which];
  switch (mode) {
    case predefined:
      table.set_counts(kind.predefined, kind.predefined_log);
      return 0;
    case single:
      if (bytes.empty() || byte_at(bytes, 0) > kind.limits.symbol) {
        return std::nullopt;
      }
      table.set_single(std::to_integer<std::uint8_t>(bytes.front()));
      return 1;
    case described:
      return read_fse_table(bytes, kind.limits, table);
    default:
      return table.valid() ? std::optional<std::size_t>(0) : std::nullopt;
  }
}

// The offset that a sequence's offset value stands for, 0 if none: values above 3 are offsets plus
// 3, the others name a recent one. Without literals before the match, the last offset itself would
// make no sense (the match before would have been longer), so all three mean the next one.
std::size_t BlockDecoder::next_offset(std::size_t value, bool no_literals) {
  std::size_t offset = 0;
  if (value > 3) {
    offset = value - 3;
    recent_ = {offset, recent_[0], recent_[1]};
    return offset;
  }
  const std::size_t which = value - 1 + (no_literals ? 1 : 0);
  offset = which < 3 ? recent_[which] : recent_[0] - 1;
  if (which == 1) {
    recent_ = {offset, recent_[0], recent_[2]};
  } else if (which > 1) {
    recent_ = {offset, recent_[0], recent_[1]};
  }
  return offset;
}

bool BlockDecoder::run_sequences(Bytes stream, std::size_t count, const Literals& literals,
                                 Output& out) {
  BackwardBits bits(stream);
  FseDecoder literal_code(tables_[kLiteralLengthTable], bits);
  FseDecoder offset_code(tables_[kOffsetTable], bits);
  FseDecoder match_code(tables_[kMatchLengthTable], bits);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned offset_bits = offset_code.symbol();
    const std::size_t offset_value = (std::size_t{1} << offset_bits) + bits.read(offset_bits);
    const std::size_t match = kMatchLengths.base[match_code.symbol()] +
                              bits.read(kMatchLengths.bits[match_code.symbol()]);
    const std::size_t plain = kLiteralLengths.base[literal_code.symbol()] +
                              bits.read(kLiteralLengths.bits[literal_code.symbol()]);
    if (i + 1 < count) {
      literal_code.advance(bits);
      match_code.advance(bits);
      offset_code.advance(bits);
    }
    if (bits.left() < 0 || plain > literals.size - used) {
      return false;
    }
    const std::size_t offset = next_offset(offset_value, plain == 0);
    out.append(literals.bytes.subspan(used, std::min(plain, out.room())));
    used += plain;
    if (out.full()) {
      return true;
    }
    if (offset == 0 || offset > out.size()) {
      return false;
    }
    out.repeat(offset, match);
    if (out.full()) {
      return true;
    }
  }
  out.append(literals.bytes.subspan(used));
  return bits.left() == 0;
}

}  // namespace plumb::zstd

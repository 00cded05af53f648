// SPDX-License-Identifier: Apache-2.0
#include "binary/zstd_huffman.h"

#include <algorithm>
#include <bit>

#include "binary/zstd_bits.h"
#include "binary/zstd_fse.h"

namespace plumb::zstd {
namespace {

// One place is for the last symbol, whose weight is not stored.
constexpr std::size_t kMaxWeights = 255;
using Weights = std::array<std::uint8_t, kMaxWeights + 1>;

/// Two FSE states take turns until the bits run out; the other one still holds a symbol then.
/// Returns the number of weights, 0 if broken.
std::size_t read_packed_weights(Bytes bytes, Weights& weights) {
  FseTable table;
  const auto length = read_fse_table(bytes, {.log = 6, .symbol = HuffmanTable::kMaxBits}, table);
  if (!length) {
    return 0;
  }
  BackwardBits bits(bytes.subspan(*length));
  FseDecoder first(table, bits);
  FseDecoder second(table, bits);
  if (bits.left() < 0) {
    return 0;
  }
  FseDecoder* now = &first;
  FseDecoder* other = &second;
  std::size_t count = 0;
  while (count + 1 < kMaxWeights) {
    weights[count++] = now->symbol();
    now->advance(bits);
    if (bits.left() < 0) {
      weights[count++] = other->symbol();
      return count;
    }
    std::swap(now, other);
  }
  return 0;
}

}  // namespace

std::optional<std::size_t> HuffmanTable::read(Bytes bytes) {
  if (bytes.empty()) {
    return std::nullopt;
  }
  Weights weights{};
  const auto header = std::to_integer<std::size_t>(bytes.front());
  const bool packed = header < 128;
  std::size_t count = packed ? 0 : header - 127;
  const std::size_t length = packed ? header : (count + 1) / 2;
  if (!fits(1, length, bytes.size())) {
    return std::nullopt;
  }
  const Bytes body = bytes.subspan(1, length);
  if (packed) {
    count = read_packed_weights(body, weights);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const auto both = std::to_integer<unsigned>(body[i / 2]);
      weights[i] = static_cast<std::uint8_t>(i % 2 == 0 ? both >> 4 : both & 15);
    }
  }
  if (count == 0 || !set_weights(std::span(weights).first(count + 1))) {
    return std::nullopt;
  }
  return 1 + length;
}

// A symbol of weight w > 0 has 2^(w-1) of the table's entries. The last symbol, not stored, has
// what is missing to a power of two. Light symbols, which have the longest codes, come first.
bool HuffmanTable::set_weights(std::span<std::uint8_t> weights) {
  std::size_t total = 0;
  for (const std::uint8_t weight : weights.first(weights.size() - 1)) {
    if (weight > kMaxBits) {
      return false;
    }
    total += weight > 0 ? std::size_t{1} << (weight - 1) : 0;
  }
  if (total == 0) {
    return false;
  }
  const auto max_bits = static_cast<unsigned>(std::bit_width(total));
  const std::size_t size = std::size_t{1} << max_bits;
  const std::size_t rest = size - total;
  if (max_bits > kMaxBits || !std::has_single_bit(rest)) {
    return false;
  }
  weights.back() = static_cast<std::uint8_t>(std::bit_width(rest));

  std::array<std::size_t, kMaxBits + 2> begin{};  // of each weight's entries
  for (const std::uint8_t weight : weights) {
    begin[weight + 1U] += weight > 0 ? std::size_t{1} << (weight - 1) : 0;
  }
  for (std::size_t weight = 1; weight < begin.size(); ++weight) {
    begin[weight] += begin[weight - 1];
  }
  for (std::size_t symbol = 0; symbol < weights.size(); ++symbol) {
    const unsigned weight = weights[symbol];
    if (weight > 0) {
      const std::size_t entries = std::size_t{1} << (weight - 1);
      const Code code{static_cast<std::uint8_t>(symbol),
                      static_cast<std::uint8_t>(max_bits + 1 - weight)};
      std::fill_n(codes_.begin() + static_cast<std::ptrdiff_t>(begin[weight]), entries, code);
      begin[weight] += entries;
    }
  }
  max_bits_ = max_bits;
  return true;
}

bool HuffmanTable::decode(Bytes stream, std::span<std::byte> out, bool whole) const {
  BackwardBits bits(stream);
  const unsigned shift = 64 - max_bits_;
  constexpr std::size_t kAtOnce = 5;  // 55 of the 57 bits that a window holds at least
  std::size_t done = 0;
  while (done < out.size() && bits.left() > 0) {
    std::uint64_t window = bits.window();
    const std::size_t end = std::min(done + kAtOnce, out.size());
    unsigned used = 0;
    for (; done < end; ++done) {
      const Code code = codes_[static_cast<std::size_t>(window >> shift)];
      out[done] = static_cast<std::byte>(code.symbol);
      window <<= code.bits;
      used += code.bits;
    }
    bits.skip(used);
  }
  return done == out.size() && (whole ? bits.left() == 0 : bits.left() >= 0);
}

}  // namespace plumb::zstd

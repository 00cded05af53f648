// SPDX-License-Identifier: Apache-2.0
#include "binary/zstd_fse.h"

#include <algorithm>
#include <bit>

namespace plumb::zstd {

void FseTable::set_single(std::uint8_t symbol) {
  states_[0] = {0, symbol, 0};
  log_ = 0;
  valid_ = true;
}

void FseTable::set_counts(std::span<const std::int16_t> counts, unsigned log) {
  const std::size_t size = std::size_t{1} << log;
  log_ = log;
  valid_ = true;
  // Rare symbols take one state each from the end; the others are strewn over what is left in
  // steps that reach every place once.
  std::array<std::uint16_t, 256> next{};
  std::size_t end = size;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    next[symbol] = static_cast<std::uint16_t>(std::max<std::int16_t>(counts[symbol], 0));
    if (counts[symbol] < 0) {
      next[symbol] = 1;
      states_[--end].symbol = static_cast<std::uint8_t>(symbol);
    }
  }
  const std::size_t step = (size >> 1) + (size >> 3) + 3;
  std::size_t at = 0;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    for (std::int16_t i = 0; i < counts[symbol]; ++i) {
      states_[at].symbol = static_cast<std::uint8_t>(symbol);
      do {
        at = (at + step) & (size - 1);
      } while (at >= end);
    }
  }
  // The n-th state of a symbol that has `count` of them continues at (count + n), scaled up to the
  // table's size.
  for (std::size_t state = 0; state < size; ++state) {
    FseState& entry = states_[state];
    const unsigned place = next[entry.symbol]++;
    entry.bits = static_cast<std::uint8_t>(log + 1 - static_cast<unsigned>(std::bit_width(place)));
    entry.base = static_cast<std::uint16_t>((std::size_t{place} << entry.bits) - size);
  }
}

std::optional<std::size_t> read_fse_table(Bytes bytes, FseLimits limits, FseTable& table) {
  ForwardBits bits(bytes);
  const unsigned log = 5 + bits.read(4);
  if (log > limits.log) {
    return std::nullopt;
  }
  std::array<std::int16_t, 256> counts{};
  std::size_t symbols = 0;
  std::uint32_t left = 1U << log;
  while (left > 0 && symbols <= limits.symbol) {
    // A value from 0 to left + 1. The lowest of them need one bit less than the others.
    const auto width = static_cast<unsigned>(std::bit_width(left + 1));
    const std::uint32_t half = 1U << (width - 1);
    const std::uint32_t short_ones = 2 * half - 2 - left;
    std::uint32_t value = bits.peek(width);
    if ((value & (half - 1)) < short_ones) {
      value &= half - 1;
      bits.skip(width - 1);
    } else {
      value -= value >= half ? short_ones : 0;
      bits.skip(width);
    }
    counts[symbols++] = static_cast<std::int16_t>(static_cast<std::int32_t>(value) - 1);
    left -= value == 0 ? 1 : value - 1;
    // After a symbol that does not occur: how many more of them, three at a time.
    for (std::uint32_t more = value == 1 ? 3 : 0; more == 3;) {
      more = bits.read(2);
      symbols += more;
      if (symbols > limits.symbol) {
        return std::nullopt;
      }
    }
  }
  if (left != 0 || bits.overrun()) {
    return std::nullopt;
  }
  table.set_counts(std::span(counts).first(symbols), log);
  return bits.bytes_used();
}

}  // namespace plumb::zstd

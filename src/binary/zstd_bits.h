// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the Zstandard decoder: its two kinds of bit streams. Reading past either end gives zero
// bits, never memory outside, and is seen afterwards: loops need no check a bit.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/source.h"

namespace plumb::zstd {

/// Up to 8 bytes at the start of `bytes` as a little-endian number.
[[nodiscard]] inline std::uint64_t load_word(Bytes bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
  return std::endian::native == std::endian::big ? std::byteswap(word) : word;
}

/// From the first byte's lowest bit upwards: the descriptions of FSE tables.
class ForwardBits {
 public:
  explicit ForwardBits(Bytes bytes) : bytes_(bytes) {}
  /// Requires: count <= 32.
  [[nodiscard]] std::uint32_t peek(unsigned count) const {
    const Bytes rest = bytes_.subspan(std::min(position_ / 8, bytes_.size()));
    const std::uint64_t word = rest.empty() ? 0 : load_word(rest) >> (position_ % 8);
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << count) - 1));
  }
  void skip(unsigned count) { position_ += count; }
  std::uint32_t read(unsigned count) {
    const std::uint32_t value = peek(count);
    skip(count);
    return value;
  }
  [[nodiscard]] bool overrun() const { return position_ > bytes_.size() * 8; }
  [[nodiscard]] std::size_t bytes_used() const { return (position_ + 7) / 8; }

 private:
  Bytes bytes_;
  std::size_t position_ = 0;
};

/// From the end downwards: all that is coded with FSE or Huffman. The last byte's highest set bit
/// only marks where the stream begins (RFC 8878, 4.1).
class BackwardBits {
 public:
  explicit BackwardBits(Bytes bytes) : bytes_(bytes) {
    const auto last = bytes.empty() ? 0U : std::to_integer<unsigned>(bytes.back());
    if (last != 0) {
      left_ = static_cast<std::int64_t>(bytes.size() * 8 - 9 +
                                        static_cast<unsigned>(std::bit_width(last)));
      first_word_ = load_word(bytes);
    }
  }
  /// The next bits, the first of them on top: at least 57 that count, zeros below the stream's end.
  [[nodiscard]] std::uint64_t window() const {
    if (left_ <= 0) {
      return 0;
    }
    const auto left = static_cast<std::size_t>(left_);
    const std::size_t end = (left + 7) / 8;
    return end < 8 ? first_word_ << (64 - left)
                   : load_word(bytes_.subspan(end - 8, 8)) << (end * 8 - left);
  }
  /// Requires: count <= 57.
  std::uint32_t read(unsigned count) {
    const std::uint64_t bits = window() >> 1 >> (63 - count);
    skip(count);
    return static_cast<std::uint32_t>(bits);
  }
  void skip(unsigned count) { left_ -= count; }
  /// Bits not read yet; negative when more were read than there are, or no stream began at all.
  [[nodiscard]] std::int64_t left() const { return left_; }

 private:
  Bytes bytes_;
  std::int64_t left_ = -1;
  std::uint64_t first_word_ = 0;
};

}  // namespace plumb::zstd

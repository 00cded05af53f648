// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the Zstandard decoder: Huffman coded literals (RFC 8878, 4.2).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/source.h"

namespace plumb::zstd {

class HuffmanTable {
 public:
  static constexpr unsigned kMaxBits = 11;

  /// False until read() succeeded once.
  [[nodiscard]] bool valid() const { return max_bits_ != 0; }

  /// Reads the table's description at the start of `bytes` and returns its length; empty if broken.
  [[nodiscard]] std::optional<std::size_t> read(Bytes bytes);

  /// Fills `out` from one stream; `whole`: the stream must hold exactly that, not more. Requires:
  /// valid(). False: the stream is broken.
  [[nodiscard]] bool decode(Bytes stream, std::span<std::byte> out, bool whole) const;

 private:
  struct Code {
    std::uint8_t symbol = 0;
    std::uint8_t bits = 0;
  };
  [[nodiscard]] bool set_weights(std::span<std::uint8_t> weights);

  std::array<Code, std::size_t{1} << kMaxBits> codes_{};  // by the next max_bits_ bits
  unsigned max_bits_ = 0;
};

}  // namespace plumb::zstd

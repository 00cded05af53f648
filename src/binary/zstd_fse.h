// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the Zstandard decoder: tables of finite state entropy coding (RFC 8878, 4.1).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/source.h"
#include "binary/zstd_bits.h"

namespace plumb::zstd {

/// What a state means: its symbol, and the next state as `base` plus so many bits from the stream.
struct FseState {
  std::uint16_t base = 0;
  std::uint8_t symbol = 0;
  std::uint8_t bits = 0;
};

class FseTable {
 public:
  static constexpr unsigned kMaxLog = 9;

  /// False until one of the set_ functions was called.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] unsigned log() const { return log_; }
  /// Requires: state < 2^log(), as every state that this table led to is.
  [[nodiscard]] const FseState& operator[](std::size_t state) const { return states_[state]; }

  /// One symbol always.
  void set_single(std::uint8_t symbol);
  /// Requires: log <= kMaxLog; the counts, with -1 ("less than 1") taken as 1, sum up to 2^log.
  void set_counts(std::span<const std::int16_t> counts, unsigned log);

 private:
  std::array<FseState, std::size_t{1} << kMaxLog> states_{};
  unsigned log_ = 0;
  bool valid_ = false;
};

struct FseLimits {
  unsigned log = 0;     // at most FseTable::kMaxLog
  unsigned symbol = 0;  // the highest allowed; below 256
};

/// Reads a table's description at the start of `bytes` and returns its length; empty if broken.
[[nodiscard]] std::optional<std::size_t> read_fse_table(Bytes bytes, FseLimits limits,
                                                        FseTable& table);

/// One symbol stream: where it stands in its table.
class FseDecoder {
 public:
  FseDecoder(const FseTable& table, BackwardBits& bits)
      : table_(table), state_(bits.read(table.log())) {}
  [[nodiscard]] std::uint8_t symbol() const { return table_[state_].symbol; }
  void advance(BackwardBits& bits) {
    const FseState& now = table_[state_];
    state_ = now.base + bits.read(now.bits);
  }

 private:
  const FseTable& table_;
  std::size_t state_;
};

}  // namespace plumb::zstd

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the Zstandard decoder: compressed blocks (RFC 8878, 3.1.1.3). A block is a run of
// literals, and a list of sequences that say how many literals to copy next and which earlier
// output to repeat after them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/source.h"
#include "binary/zstd_fse.h"
#include "binary/zstd_huffman.h"

namespace plumb::zstd {

/// The most that one block unpacks to.
inline constexpr std::size_t kMaxBlock = 128 * 1024;

/// What was decoded so far; the window for repeats as well. `limit` is where writing stops.
class Output {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  /// How much more may be written.
  [[nodiscard]] std::size_t room() const { return bytes_.size() - size_; }
  [[nodiscard]] bool full() const { return room() == 0; }
  void set_limit(std::size_t limit) { bytes_.resize(limit); }
  void drop_after(std::size_t size) { size_ = size; }

  /// Each writes as much as there is room for.
  void append(Bytes bytes);
  void append(std::byte byte, std::size_t count);
  /// Requires: 0 < distance <= size().
  void repeat(std::size_t distance, std::size_t count);

  [[nodiscard]] std::vector<std::byte> take() && {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t size_ = 0;
};

/// Decodes the compressed blocks of one frame in their order: tables and offsets live on from block
/// to block.
class BlockDecoder {
 public:
  /// Appends to `out` until the block ends or `out` is full. False: broken.
  [[nodiscard]] bool decode(Bytes block, Output& out);

 private:
  /// The literals, of which `bytes` has no more than the output has room for.
  struct Literals {
    std::size_t size = 0;  // of the whole run
    Bytes bytes;
  };
  [[nodiscard]] std::optional<std::size_t> read_literals(Bytes block, std::size_t room,
                                                         Literals& literals);
  [[nodiscard]] bool read_coded_literals(Bytes coded, bool own_table, bool four_streams,
                                         std::size_t room, Literals& literals);
  [[nodiscard]] std::optional<std::size_t> read_table(Bytes bytes, unsigned mode,
                                                      std::size_t which);
  [[nodiscard]] bool run_sequences(Bytes stream, std::size_t count, const Literals& literals,
                                   Output& out);
  [[nodiscard]] std::size_t next_offset(std::size_t value, bool no_literals);

  HuffmanTable huffman_;
  std::array<FseTable, 3> tables_;  // literal lengths, offsets, match lengths
  std::array<std::size_t, 3> recent_ = {1, 4, 8};
  std::vector<std::byte> literal_buffer_;
};

}  // namespace plumb::zstd

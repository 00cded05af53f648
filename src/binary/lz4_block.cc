// SPDX-License-Identifier: Apache-2.0
#include "binary/lz4_block.h"

#include <algorithm>

namespace plumb {
namespace {

class BlockReader {
 public:
  explicit BlockReader(Bytes block) : block_(block) {}
  [[nodiscard]] bool at_end() const { return position_ >= block_.size(); }
  [[nodiscard]] std::size_t left() const { return block_.size() - position_; }
  std::size_t next() { return std::to_integer<std::size_t>(block_[position_++]); }
  Bytes take(std::size_t count) {
    const Bytes piece = block_.subspan(position_, count);
    position_ += count;
    return piece;
  }
  /// 15 in a token's half means that bytes of 255 and a last smaller one follow.
  std::size_t length(std::size_t nibble) {
    std::size_t total = nibble;
    if (nibble == 15) {
      while (!at_end()) {
        const std::size_t more = next();
        total += more;
        if (more != 255) {
          break;
        }
      }
    }
    return total;
  }

 private:
  Bytes block_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<std::byte> decode_lz4_prefix(Bytes block, std::size_t wanted) {
  std::vector<std::byte> out;
  out.reserve(wanted);
  BlockReader in(block);
  while (!in.at_end() && out.size() < wanted) {
    const std::size_t token = in.next();
    const std::size_t literals = std::min({in.length(token >> 4), in.left(), wanted - out.size()});
    const Bytes piece = in.take(literals);
    out.insert(out.end(), piece.begin(), piece.end());
    if (in.left() < 2 || out.size() >= wanted) {
      break;
    }
    const std::size_t low = in.next();
    const std::size_t distance = low | (in.next() << 8);
    if (distance == 0 || distance > out.size()) {
      break;
    }
    const std::size_t match = std::min(in.length(token & 15) + 4, wanted - out.size());
    for (std::size_t i = 0; i < match; ++i) {  // byte by byte: source and target may overlap
      out.push_back(out[out.size() - distance]);
    }
  }
  return out;
}

}  // namespace plumb

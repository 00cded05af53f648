// SPDX-License-Identifier: Apache-2.0
#pragma once
// A large file that is mostly zeros, and that counts what is read of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/source.h"

namespace plumb::test {

class CountingSource final : public Source {
 public:
  explicit CountingSource(std::uint64_t size) : size_(size) {}
  /// Pieces must not overlap.
  void put(std::uint64_t offset, std::string_view bytes) { pieces_[offset] = bytes; }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!fits(offset, out.size(), size_)) {
      return fail(ErrorCode::truncated, "past the end");
    }
    ++reads_;
    bytes_read_ += out.size();
    std::ranges::fill(out, std::byte{0});
    auto piece = pieces_.upper_bound(offset);
    piece = piece == pieces_.begin() ? piece : std::prev(piece);
    for (; piece != pieces_.end() && piece->first < offset + out.size(); ++piece) {
      const std::uint64_t begin = std::max(piece->first, offset);
      const std::uint64_t end = std::min(piece->first + piece->second.size(), offset + out.size());
      if (begin < end) {
        std::ranges::copy(std::as_bytes(std::span(piece->second))
                              .subspan(static_cast<std::size_t>(begin - piece->first),
                                       static_cast<std::size_t>(end - begin)),
                          out.begin() + static_cast<std::ptrdiff_t>(begin - offset));
      }
    }
    return {};
  }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

 private:
  std::uint64_t size_;
  std::map<std::uint64_t, std::string> pieces_;
  mutable std::uint64_t bytes_read_ = 0;
  mutable std::uint64_t reads_ = 0;
};

}  // namespace plumb::test

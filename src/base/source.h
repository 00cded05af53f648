// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where bytes come from. Every reader of foreign bytes reads through a Source: a file (os/file.h),
// a member of a wheel as it is inflated (binary/member_source.h), a slice of either, or memory. So
// readers never open anything, work the same on all of them, and can be fuzzed from a buffer.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plumb {

using Bytes = std::span<const std::byte>;

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;

  /// Fills `out` from `offset`, wholly or not at all. Errors: truncated (past the end), io,
  /// changed, malformed (an archive member whose compressed data is broken). Implementations are
  /// NOT thread-safe unless they say so.
  [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

/// Bytes that somebody else keeps alive.
class MemorySource final : public Source {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}
  explicit MemorySource(std::string_view text) : bytes_(std::as_bytes(std::span(text))) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  Bytes bytes_;
};

/// A part of another source (a member of a static archive, a fatbin inside a library).
class SliceSource final : public Source {
 public:
  /// Requires: offset + size lies within `whole`.
  SliceSource(const Source& whole, std::uint64_t offset, std::uint64_t size)
      : whole_(whole), offset_(offset), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  const Source& whole_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

/// True if [offset, offset + length) lies within [0, size); safe for any values.
[[nodiscard]] constexpr bool fits(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// Reads small structures through one page-sized window, so that neighbouring headers cost one read
/// and reading stays near what was asked for. Not thread-safe.
class PagedReader {
 public:
  static constexpr std::uint64_t kPage = 4096;
  explicit PagedReader(const Source& source) : source_(source) {}

  [[nodiscard]] std::uint64_t size() const { return source_.size(); }
  [[nodiscard]] const Source& source() const { return source_; }

  /// Copies `length` bytes at `offset`. The view stays valid until the next call. Error: truncated,
  /// or the source's.
  [[nodiscard]] Result<Bytes> read(std::uint64_t offset, std::uint64_t length);

  /// A NUL-terminated string of at most `limit` bytes; without a NUL in reach: malformed.
  [[nodiscard]] Result<std::string> read_string(std::uint64_t offset, std::uint64_t limit = 4096);

 private:
  const Source& source_;
  std::uint64_t window_offset_ = 0;
  std::vector<std::byte> window_;
};

/// Reads all of [offset, offset + length). `cap` guards memory: longer is an error with code limit.
[[nodiscard]] Result<std::vector<std::byte>> read_range(const Source& source, std::uint64_t offset,
                                                        std::uint64_t length, std::uint64_t cap);

/// Little-endian (or, for foreign ELF files, big-endian) integers out of checked bytes.
/// Requires: offset + sizeof(T) <= bytes.size().
template <class T>
[[nodiscard]] T load_le(Bytes bytes, std::size_t offset = 0) {
  std::make_unsigned_t<T> value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<std::make_unsigned_t<T>>(
        value |
        (static_cast<std::make_unsigned_t<T>>(std::to_integer<std::uint8_t>(bytes[offset + i]))
         << (8 * i)));
  }
  return static_cast<T>(value);
}

[[nodiscard]] inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace plumb

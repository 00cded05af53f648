// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <algorithm>
#include <string>

namespace plumb {
namespace {

std::unexpected<Error> past_end(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return fail(ErrorCode::truncated, "needs " + std::to_string(length) + " bytes at offset " +
                                        std::to_string(offset) + ", but the file has " +
                                        std::to_string(size));
}

}  // namespace

Result<void> MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!fits(offset, out.size(), bytes_.size())) {
    return past_end(offset, out.size(), bytes_.size());
  }
  std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), out.size()), out.begin());
  return {};
}

Result<void> SliceSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!fits(offset, out.size(), size_)) {
    return past_end(offset, out.size(), size_);
  }
  return whole_.read(offset_ + offset, out);
}

Result<Bytes> PagedReader::read(std::uint64_t offset, std::uint64_t length) {
  if (!fits(offset, length, source_.size())) {
    return past_end(offset, length, source_.size());
  }
  const bool inside =
      offset >= window_offset_ && fits(offset - window_offset_, length, window_.size());
  if (!inside) {
    const std::uint64_t begin = offset - offset % kPage;
    const std::uint64_t wanted = offset + length - begin;
    const std::uint64_t rounded = (wanted + kPage - 1) / kPage * kPage;
    const std::uint64_t length_read = std::min(rounded, source_.size() - begin);
    window_.resize(static_cast<std::size_t>(length_read));
    window_offset_ = begin;
    if (auto done = source_.read(begin, window_); !done) {
      window_.clear();
      return std::unexpected(std::move(done).error());
    }
  }
  return Bytes(window_).subspan(static_cast<std::size_t>(offset - window_offset_),
                                static_cast<std::size_t>(length));
}

Result<std::string> PagedReader::read_string(std::uint64_t offset, std::uint64_t limit) {
  std::string text;
  while (text.size() < limit) {
    if (offset >= source_.size()) {
      return past_end(offset, 1, source_.size());
    }
    const std::uint64_t length =
        std::min({kPage - offset % kPage, source_.size() - offset, limit - text.size()});
    PLUMB_ASSIGN(const Bytes bytes, read(offset, length));
    const std::string_view piece = as_text(bytes);
    const std::size_t end = piece.find('\0');
    if (end != std::string_view::npos) {
      text.append(piece.substr(0, end));
      return text;
    }
    text.append(piece);
    offset += length;
  }
  return fail(ErrorCode::malformed, "a name is longer than " + std::to_string(limit) + " bytes");
}

Result<std::vector<std::byte>> read_range(const Source& source, std::uint64_t offset,
                                          std::uint64_t length, std::uint64_t cap) {
  if (!fits(offset, length, source.size())) {
    return past_end(offset, length, source.size());
  }
  if (length > cap) {
    return fail(ErrorCode::limit, "a table of " + std::to_string(length) +
                                      " bytes is more than the " + std::to_string(cap) +
                                      " that plumb reads");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  PLUMB_TRY(source.read(offset, bytes));
  return bytes;
}

}  // namespace plumb

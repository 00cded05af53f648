// SPDX-License-Identifier: Apache-2.0
// Random reads in a deflated stream. One decoder runs forward through the member; wherever it stops
// past the next mark its state is kept (54 KB with ISA-L, 44 KB with zlib; that is the last 32 KiB
// of output and the code tables). A read behind the decoder, or far before it, goes back to the
// nearest kept state. Marks are as far apart as their memory allows: 1 MiB in members below some
// 230 MB, 8 MiB in one of 1.9 GB.
//
// What is read again soon (neighbouring headers, a string table) comes from a small cache of 64 KiB
// blocks.
//
// A reader led by a hostile file could jump to and fro for hours, each jump costing a few megabytes
// of decoding. So what random reads may decode in all is bounded by a multiple of the member's
// size.
#include "binary/member_source.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "binary/inflate.h"

namespace plumb {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint64_t kChunk = 256 << 10;  // for reading the archive and for drain()
constexpr std::uint64_t kBlock = 64 << 10;
constexpr std::size_t kCachedBlocks = 64;
constexpr std::uint64_t kCheckpointMemory = 12 << 20;
constexpr std::uint64_t kLeastSpacing = 1 << 20;
constexpr std::uint64_t kDecodeFactor = 16;
constexpr std::uint64_t kDecodeSlack = 64 << 20;

std::string plural_bytes(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

class MemberSource::Reader {
 public:
  Reader(const Source& archive, std::uint64_t offset, const ZipEntry& entry)
      : packed_(archive, offset, entry.compressed_size), size_(entry.size) {
    const std::uint64_t most = kCheckpointMemory / Inflater::kCheckpointSize;
    spacing_ = std::max(kLeastSpacing, size_ / most + 1);
  }

  /// Fills `out` from where the decoder stands. Requires: there is that much left of the member.
  [[nodiscard]] Result<void> decode(std::span<std::byte> out) {
    while (!out.empty()) {
      auto produced = step(out);
      if (produced && *produced == 0) {
        produced = fail(ErrorCode::mismatch, "the member unpacks to " + plural_bytes(position_) +
                                                 ", the directory says " + std::to_string(size_));
      }
      if (!produced) {
        inflater_.reset();  // of no further use: what comes next starts anew
        return std::unexpected(std::move(produced).error());
      }
      out = out.subspan(*produced);
    }
    keep_checkpoint();
    return {};
  }

  /// The stream must end here, and be all there was.
  [[nodiscard]] Result<void> expect_end() {
    std::byte more{};
    PLUMB_ASSIGN(const std::size_t produced, step({&more, 1}));
    if (produced != 0) {
      return fail(ErrorCode::mismatch, "the member unpacks to more than the " +
                                           plural_bytes(size_) + " of the directory");
    }
    const std::uint64_t unused =
        packed_.size() - packed_offset_ + (input_.size() - used_) + inflater_->overread();
    if (unused != 0) {
      return fail(ErrorCode::malformed, plural_bytes(unused) + " follow the compressed data");
    }
    return {};
  }

  void rewind() {
    inflater_ = std::make_unique<Inflater>();
    input_.clear();
    used_ = 0;
    packed_offset_ = 0;
    position_ = 0;
  }

  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) {
    if (out.size() > kBlock * kCachedBlocks / 4) {  // large: past the cache
      PLUMB_TRY(seek(offset));
      decoded_ += out.size();
      return decode(out);
    }
    while (!out.empty()) {
      PLUMB_ASSIGN(const Bytes block, cached_block(offset / kBlock));
      const Bytes rest = block.subspan(static_cast<std::size_t>(offset % kBlock));
      const std::size_t length = std::min(rest.size(), out.size());
      std::ranges::copy(rest.first(length), out.begin());
      out = out.subspan(length);
      offset += length;
    }
    return {};
  }

 private:
  struct Mark {
    std::uint64_t position;       // unpacked
    std::uint64_t packed_offset;  // of the next byte the decoder wants
    Inflater::Checkpoint state;
  };
  struct Block {
    std::uint64_t index = 0;
    std::uint64_t last_used = 0;
    std::vector<std::byte> bytes;
  };

  /// 0 produced: the stream has ended.
  [[nodiscard]] Result<std::size_t> step(std::span<std::byte> out) {
    if (!inflater_) {
      rewind();
    }
    while (!inflater_->finished()) {
      if (used_ == input_.size()) {
        PLUMB_TRY(refill());
      }
      const Bytes in = Bytes(input_).subspan(used_);
      PLUMB_ASSIGN(const Inflater::Step step, inflater_->step(in, out));
      used_ += step.consumed;
      position_ += step.produced;
      if (step.produced != 0) {
        return step.produced;
      }
      if (in.empty() && !inflater_->finished()) {
        return fail(ErrorCode::truncated, "the compressed data breaks off after " +
                                              plural_bytes(position_) + " unpacked");
      }
    }
    return 0;
  }

  [[nodiscard]] Result<void> refill() {
    const std::uint64_t length = std::min(kChunk, packed_.size() - packed_offset_);
    input_.resize(static_cast<std::size_t>(length));
    used_ = 0;
    if (auto done = packed_.read(packed_offset_, input_); !done) {
      input_.clear();
      return done;
    }
    packed_offset_ += length;
    return {};
  }

  void keep_checkpoint() {
    const std::uint64_t last = marks_.empty() ? 0 : marks_.back().position;
    if (position_ < last || position_ - last < spacing_ || inflater_->finished()) {
      return;
    }
    Inflater::Checkpoint state = inflater_->save();
    if (marks_memory_ + state.memory() > kCheckpointMemory) {
      return;
    }
    marks_memory_ += state.memory();
    marks_.push_back(Mark{position_, packed_offset_ - (input_.size() - used_), std::move(state)});
  }

  /// Brings the decoder to `target`, from where it stands or from a kept state, whichever is
  /// nearer.
  [[nodiscard]] Result<void> seek(std::uint64_t target) {
    const auto after = std::ranges::upper_bound(marks_, target, {}, &Mark::position);
    const Mark* mark = after == marks_.begin() ? nullptr : &*std::prev(after);
    const bool forward = inflater_ && position_ <= target && (!mark || mark->position <= position_);
    if (!forward && mark != nullptr) {
      if (!inflater_) {
        rewind();
      }
      inflater_->restore(mark->state);
      position_ = mark->position;
      packed_offset_ = mark->packed_offset;
      input_.clear();
      used_ = 0;
    } else if (!forward) {
      rewind();
    }
    decoded_ += target - position_;
    if (decoded_ > kDecodeSlack + kDecodeFactor * size_) {
      return fail(ErrorCode::limit, "reading this member means jumping about in it too much");
    }
    skipped_.resize(static_cast<std::size_t>(std::min(kChunk, target - position_)));
    while (position_ < target) {
      const std::uint64_t length = std::min(kChunk, target - position_);
      PLUMB_TRY(decode(std::span(skipped_).first(static_cast<std::size_t>(length))));
    }
    return {};
  }

  [[nodiscard]] Result<Bytes> cached_block(std::uint64_t index) {
    ++clock_;
    for (Block& block : blocks_) {
      if (block.index == index) {
        block.last_used = clock_;
        return Bytes(block.bytes);
      }
    }
    const std::uint64_t offset = index * kBlock;
    PLUMB_TRY(seek(offset));
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(kBlock, size_ - offset)));
    decoded_ += bytes.size();
    PLUMB_TRY(decode(bytes));
    if (blocks_.size() < kCachedBlocks) {
      blocks_.emplace_back();
    }
    Block& oldest = *std::ranges::min_element(blocks_, {}, &Block::last_used);
    oldest = Block{index, clock_, std::move(bytes)};
    return Bytes(oldest.bytes);
  }

  const SliceSource packed_;
  const std::uint64_t size_;
  std::uint64_t spacing_;

  std::unique_ptr<Inflater> inflater_;  // made on first use
  std::vector<std::byte> input_;
  std::size_t used_ = 0;             // of input_
  std::uint64_t packed_offset_ = 0;  // behind input_
  std::uint64_t position_ = 0;       // unpacked, where the decoder stands

  std::vector<Mark> marks_;  // ascending
  std::uint64_t marks_memory_ = 0;
  std::vector<Block> blocks_;
  std::uint64_t clock_ = 0;
  std::uint64_t decoded_ = 0;  // by random reads
  std::vector<std::byte> skipped_;
};

MemberSource::MemberSource(const Source& archive, const ZipEntry& entry, std::uint64_t data_offset)
    : archive_(archive),
      data_offset_(data_offset),
      size_(entry.size),
      crc32_(entry.crc32),
      name_(shorten_middle(printable(entry.name), 200)) {
  if (entry.method == kZipDeflated) {
    reader_ = std::make_unique<Reader>(archive, data_offset, entry);
  }
}

MemberSource::~MemberSource() = default;

namespace {

/// Compares the local header (4.3.7) with the directory and gives the offset of the member's bytes.
/// With flag bit 3 the sizes stand behind the bytes instead; with zip64 they stand in the extra
/// field: the directory's are used then.
Result<std::uint64_t> find_data(const Source& archive, const ZipEntry& entry) {
  const std::uint64_t length = kLocalSize + entry.name.size();
  PLUMB_ASSIGN(const auto header, read_range(archive, entry.header_offset, length, length));
  const auto disagrees = [](std::string_view field) {
    return fail(ErrorCode::malformed,
                "the member's own header disagrees with the directory: " + std::string(field));
  };
  if (load_le<std::uint32_t>(header) != kLocalSignature) {
    return fail(ErrorCode::malformed, "no member begins where the directory says");
  }
  if (load_le<std::uint16_t>(header, 26) != entry.name.size() ||
      as_text(header).substr(static_cast<std::size_t>(kLocalSize)) != entry.name) {
    return disagrees("name");
  }
  const auto flags = load_le<std::uint16_t>(header, 6);
  if (((flags ^ entry.flags) & 1) != 0) {
    return disagrees("encryption");
  }
  if (load_le<std::uint16_t>(header, 8) != entry.method) {
    return disagrees("method");
  }
  if ((flags & 8) == 0) {
    const auto same = [](std::uint32_t narrow, std::uint64_t value) {
      return narrow == value || narrow == 0xffffffff;
    };
    if (load_le<std::uint32_t>(header, 14) != entry.crc32) {
      return disagrees("CRC-32");
    }
    if (!same(load_le<std::uint32_t>(header, 18), entry.compressed_size) ||
        !same(load_le<std::uint32_t>(header, 22), entry.size)) {
      return disagrees("size");
    }
  }
  const std::uint64_t offset = entry.header_offset + length + load_le<std::uint16_t>(header, 28);
  if (!fits(offset, entry.compressed_size, entry.end_limit)) {
    return fail(ErrorCode::malformed, "the member shares bytes with what follows it");
  }
  return offset;
}

}  // namespace

Result<std::unique_ptr<MemberSource>> MemberSource::open(const Source& archive,
                                                         const ZipEntry& entry) {
  if (entry.fault) {
    return std::unexpected(*entry.fault);
  }
  auto offset = find_data(archive, entry);
  if (!offset) {
    return std::unexpected(
        std::move(offset).error().in(shorten_middle(printable(entry.name), 200)));
  }
  return std::unique_ptr<MemberSource>(new MemberSource(archive, entry, *offset));
}

std::uint64_t MemberSource::size() const {
  return size_;
}

Result<void> MemberSource::drain(const std::function<Result<void>(Bytes)>& consumer) {
  if (reader_) {
    reader_->rewind();
  }
  std::vector<std::byte> chunk(static_cast<std::size_t>(std::min(kChunk, size_)));
  std::uint32_t crc = 0;
  for (std::uint64_t offset = 0; offset < size_; offset += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min(kChunk, size_ - offset)));
    auto done = reader_ ? reader_->decode(chunk) : archive_.read(data_offset_ + offset, chunk);
    if (!done) {
      return std::unexpected(std::move(done).error().in(name_));
    }
    crc = crc32(crc, chunk);
    PLUMB_TRY(consumer(chunk));
  }
  if (reader_) {
    if (auto done = reader_->expect_end(); !done) {
      return std::unexpected(std::move(done).error().in(name_));
    }
  }
  if (crc != crc32_) {
    return std::unexpected(
        Error{ErrorCode::mismatch, "the member's CRC-32 disagrees with its bytes", name_, {}});
  }
  return {};
}

Result<void> MemberSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!fits(offset, out.size(), size_)) {
    return std::unexpected(Error{ErrorCode::truncated,
                                 "needs " + plural_bytes(out.size()) + " at offset " +
                                     std::to_string(offset) + ", but the member has " +
                                     std::to_string(size_),
                                 name_,
                                 {}});
  }
  auto done = reader_ ? reader_->read(offset, out) : archive_.read(data_offset_ + offset, out);
  if (!done) {
    return std::unexpected(std::move(done).error().in(name_));
  }
  return {};
}

}  // namespace plumb

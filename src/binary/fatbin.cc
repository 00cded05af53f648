// SPDX-License-Identifier: Apache-2.0
// The arch of an image, its kind and its `a`/`f` suffix stand in the entry header, whatever the
// compression; so a walk needs no decompressor. Two things need a look at the image itself:
//
// - Is it empty? nvcc's link step adds cubins without any kernel for its own default target, which
// make a file look
//   as if it served that target. Mostly the size tells (code_by_size); the doubtful ones are
//   unpacked and looked at.
// - Which toolkit made it? Cubins up to CUDA 12 say it in the ELF header; later ones in a note.
// Plain cubins are asked
//   always, since their header follows the entry's; of packed ones some are unpacked whole
//   (samples).

#include "binary/fatbin.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "binary/cubin.h"
#include "binary/lz4_block.h"
#include "binary/zstd_frame.h"

namespace plumb {
namespace {

constexpr std::uint64_t kEntryHeader = 64;
constexpr std::uint32_t kMaxEntryHeader = 64 * 1024;
constexpr std::size_t kMaxImages = 10'000;  // in one container; the largest seen has 64
constexpr std::uint64_t kSampleBody = 64 * 1024;
constexpr std::uint64_t kCubinHeader = 64;
constexpr std::uint64_t kSmallPtx = 2048;  // may be without a kernel: the directives and a banner

constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagArchSpecific = 0x100000;
constexpr std::uint64_t kFlagFamily = 0x200000;

ImageKind kind_of(std::uint16_t kind) {
  switch (kind) {
    case 1:
      return ImageKind::ptx;
    case 2:
    case 4:
      return ImageKind::cubin;
    case 8:
      return ImageKind::lto;
    default:
      return ImageKind::other;
  }
}

}  // namespace

void ContainerParser::take(Bytes bytes) {
  switch (step_) {
    case Step::container_header:
      take_container_header(bytes);
      break;
    case Step::entry_header:
      take_entry_header(bytes);
      break;
    case Step::body:
      take_body(bytes);
      break;
  }
}

void ContainerParser::take_container_header(Bytes bytes) {
  const auto size = load_le<std::uint64_t>(bytes, 8);
  const std::uint64_t begin = offset_ + kFatbinHeaderSize;
  if (load_le<std::uint32_t>(bytes) != kFatbinMagic || load_le<std::uint16_t>(bytes, 4) != 1 ||
      load_le<std::uint16_t>(bytes, 6) != kFatbinHeaderSize || !fits(begin, size, limit_)) {
    return reject();
  }
  end_ = begin +
         size;  // size 0 is real: cuDNN for Windows has hundreds of containers without any entry
  container_.offset = offset_;
  container_.size = size + kFatbinHeaderSize;
  next_ = begin;
  next_entry();
}

void ContainerParser::next_entry() {
  if (next_ == end_) {
    container_.image_count = static_cast<std::uint32_t>(images_.size());
    state_ = State::done;
    return;
  }
  if (!fits(next_, kEntryHeader, end_) || images_.size() >= kMaxImages) {
    return reject();
  }
  step_ = Step::entry_header;
  want_ = next_;
  length_ = kEntryHeader;
}

void ContainerParser::take_entry_header(Bytes bytes) {
  const auto header_size = load_le<std::uint32_t>(bytes, 4);
  const auto stored = load_le<std::uint64_t>(bytes, 8);
  const auto arch = load_le<std::uint32_t>(bytes, 0x1c);
  const auto flags = load_le<std::uint64_t>(bytes, 0x28);
  if (load_le<std::uint16_t>(bytes, 2) != 0x0101 || header_size < kEntryHeader ||
      header_size > kMaxEntryHeader || arch > 9999 || !fits(next_, header_size, end_) ||
      !fits(next_ + header_size, stored, end_)) {
    return reject();
  }
  GpuImage image;
  image.kind = kind_of(load_le<std::uint16_t>(bytes));
  image.target.sm = static_cast<std::uint16_t>(arch);
  image.target.suffix = (flags & kFlagArchSpecific) != 0 ? 'a'
                        : (flags & kFlagFamily) != 0     ? 'f'
                                                         : '\0';
  if (image.kind == ImageKind::ptx) {
    image.isa_minor = static_cast<std::uint8_t>(load_le<std::uint16_t>(bytes, 0x18));
    image.isa_major = static_cast<std::uint8_t>(load_le<std::uint16_t>(bytes, 0x1a));
  }
  const std::uint64_t body = next_ + header_size;
  next_ = body + stored;
  packed_ = load_le<std::uint32_t>(bytes, 0x10);
  unpacked_ = load_le<std::uint64_t>(bytes, 0x38);
  unpacked_ = unpacked_ != 0 ? unpacked_ : stored;
  packing_ = (flags & kFlagLz4) != 0    ? Packing::lz4
             : (flags & kFlagZstd) != 0 ? Packing::zstd
                                        : Packing::plain;
  images_.push_back(image);
  whole_ = false;
  doubtful_ = false;
  if (image.kind == ImageKind::cubin) {
    const CodeBySize code = code_by_size(image.target, unpacked_);
    images_.back().empty = code == CodeBySize::none;
    const bool sample = samples_ > 0 && code == CodeBySize::some && unpacked_ <= kSampleBody;
    samples_ -= sample ? 1 : 0;
    doubtful_ = code == CodeBySize::maybe;
    whole_ = doubtful_ || sample;
  } else if (image.kind == ImageKind::ptx) {
    whole_ = unpacked_ <= kSmallPtx;
  }
  const bool header_only = image.kind == ImageKind::cubin && packing_ == Packing::plain;
  if (stored >= 16 && stored <= kSampleBody && whole_) {
    length_ = stored;
  } else if (stored >= 16 && header_only) {
    whole_ = false;
    length_ = std::min(stored, kCubinHeader);
  } else {
    return next_entry();
  }
  step_ = Step::body;
  want_ = body;
}

void ContainerParser::take_body(Bytes bytes) {
  GpuImage& image = images_.back();
  std::vector<std::byte> unpacked;
  if (packing_ != Packing::plain) {
    const Bytes packed = packed_ != 0 && packed_ < bytes.size()
                             ? bytes.first(static_cast<std::size_t>(packed_))
                             : bytes;
    const auto wanted = static_cast<std::size_t>(unpacked_);
    unpacked = packing_ == Packing::lz4 ? decode_lz4_prefix(packed, wanted)
                                        : decode_zstd_prefix(packed, wanted);
    bytes = unpacked;
  }
  if (image.kind == ImageKind::ptx) {
    const std::string_view text = as_text(bytes);
    image.empty = !bytes.empty() && text.find(".entry") == std::string_view::npos &&
                  text.find(".func") == std::string_view::npos;
  } else if (const auto header = parse_cubin_header(bytes)) {
    image.toolkit = header->toolkit;
    // Before CUDA 12.9 the container's flags do not tell sm_90a from sm_90; the cubin does.
    if (image.target.suffix == 0 && header->target.sm == image.target.sm) {
      image.target.suffix = header->target.suffix;
    }
    if (whole_) {
      if (const auto facts = read_cubin(MemorySource(bytes))) {
        image.empty = doubtful_ ? !facts->has_code : image.empty;
        image.toolkit = facts->header.toolkit;
      }
    }
  }
  next_entry();
}

std::size_t find_fatbin_magic(Bytes bytes, std::uint64_t file_offset) {
  static_assert(std::endian::native == std::endian::little, "the loads below are native");
  constexpr std::size_t kStep = kFatbinAlignment;
  std::size_t at = static_cast<std::size_t>((kStep - file_offset % kStep) % kStep);
  const std::byte* data = bytes.data();
  const auto word_at = [data](std::size_t position) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + position, sizeof word);
    return word;
  };
  // Eight words at once without a branch: the search runs as fast as memory gives.
  while (bytes.size() >= 8 * kStep && at <= bytes.size() - 8 * kStep) {
    std::uint32_t hit = 0;
    for (std::size_t i = 0; i < 8 * kStep; i += kStep) {
      hit |= word_at(at + i) == kFatbinMagic ? 1U : 0U;
    }
    if (hit != 0) {
      break;
    }
    at += 8 * kStep;
  }
  for (; bytes.size() >= 4 && at <= bytes.size() - 4; at += kStep) {
    if (word_at(at) == kFatbinMagic) {
      return at;
    }
  }
  return bytes.size();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Why plumb has a Zstandard decoder of its own: two questions about a GPU image (has it any kernel?
// which toolkit made it?) need the first few KB of a cubin, and since CUDA 12.9 nvcc packs cubins
// with zstd. libzstd would answer, but no distribution packages it for MinGW, and plumb must answer
// the same on Windows. RFC 8878 is short, and plumb needs the easy half of it: no dictionaries, no
// streaming, no checksums, and output so small that what was decoded is the window.
//
// How the format goes, from the outside in:
//   frame       magic, a header with the window's size, then blocks of up to 128 KiB unpacked
//   block       raw, one byte repeated, or compressed
//   compressed  literals (raw, repeated or Huffman coded), then sequences "copy n literals, then m
//               bytes from d back", whose three numbers are FSE coded       (zstd_block.cc)
//   Huffman     1 or 4 bit streams read backwards; the table's own description may be FSE coded
//                                                                           (zstd_huffman.cc)
//   FSE         a state machine a table; each step gives a symbol and eats some bits (zstd_fse.cc)
//
// Two things follow from wanting only a prefix. Literals are decoded no further than the output can
// take, so that 64 bytes of an image cost the tables and little else. And because sequences are
// read from the block's last byte backwards, a compressed block that is cut off says nothing at
// all: there is no half of it to show.
//
// Hostile input: a table is at most 2,048 entries, whatever the bytes; each block costs at least
// the 3 bytes of its header and at most a constant plus its bytes plus its output; each write is
// held to the room left; bit streams give zeros past their end and are checked after. So there is
// no input that takes long, and none that reads or writes outside. What cannot be told from valid
// data is decoded as such: the result is as trustworthy as the file.

#include "binary/zstd_frame.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "binary/zstd_block.h"

namespace plumb {
namespace {

constexpr std::uint32_t kMagic = 0xfd2fb528;

struct FrameHeader {
  std::size_t length = 0;
  std::size_t block_limit = 0;
};

std::optional<FrameHeader> read_frame_header(Bytes frame) {
  if (frame.size() < 5 || load_le<std::uint32_t>(frame) != kMagic) {
    return std::nullopt;
  }
  const auto descriptor = std::to_integer<unsigned>(frame[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  const bool reserved = (descriptor & 0x08) != 0;
  const std::size_t dictionary_length = std::array<std::size_t, 4>{0, 1, 2, 4}[descriptor & 3];
  const std::size_t size_length =
      std::array<std::size_t, 4>{single_segment ? 1U : 0U, 2, 4, 8}[descriptor >> 6];
  const std::size_t dictionary_at = single_segment ? 5 : 6;
  const std::size_t size_at = dictionary_at + dictionary_length;
  FrameHeader header{.length = size_at + size_length};
  if (reserved || frame.size() < header.length) {
    return std::nullopt;
  }
  const auto number = [&frame](std::size_t at, std::size_t length) {
    return zstd::load_word(frame.subspan(at, length));
  };
  if (dictionary_length > 0 && number(dictionary_at, dictionary_length) != 0) {
    return std::nullopt;
  }
  std::uint64_t window = 0;
  if (single_segment) {
    window = number(size_at, size_length) + (size_length == 2 ? 256 : 0);
  } else {
    const auto byte = std::to_integer<unsigned>(frame[5]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (byte >> 3));
    window = base + base / 8 * (byte & 7);
  }
  header.block_limit = static_cast<std::size_t>(std::min<std::uint64_t>(window, zstd::kMaxBlock));
  return header;
}

enum class BlockType : std::uint8_t { raw, single, compressed, reserved };

}  // namespace

std::vector<std::byte> decode_zstd_prefix(Bytes frame, std::size_t wanted) {
  zstd::Output out;
  zstd::BlockDecoder compressed;
  const auto header = read_frame_header(frame);
  std::size_t at = header ? header->length : frame.size();
  for (bool last = false; !last && out.size() < wanted && fits(at, 3, frame.size());) {
    const auto word = static_cast<std::uint32_t>(zstd::load_word(frame.subspan(at, 3)));
    last = (word & 1) != 0;
    const auto type = static_cast<BlockType>(word >> 1 & 3);
    const std::size_t size = word >> 3;  // stored; of a single byte: how often
    at += 3;
    const std::size_t stored = type == BlockType::single ? 1 : size;
    const std::size_t left = frame.size() - at;
    const Bytes body = frame.subspan(at, std::min(stored, left));
    if (size > header->block_limit || (stored > left && type != BlockType::raw)) {
      break;
    }
    const std::size_t begin = out.size();
    // One byte of room more than a block may fill, so that one that would go on is seen.
    out.set_limit(begin + std::min(header->block_limit + 1, wanted - begin));
    if (type == BlockType::raw) {
      out.append(body);
    } else if (type == BlockType::single) {
      out.append(body.front(), size);
    } else if (type == BlockType::reserved || !compressed.decode(body, out) ||
               out.size() - begin > header->block_limit) {
      out.drop_after(begin);
      break;
    }
    at += body.size();
    last = last || stored > left;
  }
  return std::move(out).take();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fatbin container: where CUDA programs keep their GPU code. Layout measured on CUDA 11.8
// to 13.5 (45,117 entries of NVIDIA's own libraries and of wheels), in agreement with NVIDIA's
// older fatbinary.h for the container header.
//
//   container: u32 magic 0xBA55ED50, u16 version 1, u16 header size 16, u64 size of what follows
//   entry:     64 bytes and extras, then the stored image; entries fill the container exactly

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/source.h"
#include "binary/gpu_code.h"

namespace plumb {

inline constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
inline constexpr std::uint64_t kFatbinHeaderSize = 16;
inline constexpr std::uint64_t kFatbinAlignment =
    8;  // in every file seen; members of static archives count from their own start

/// Reads one container step by step. It says which bytes it wants next, so that one parser serves
/// files (the driver reads those bytes) and streams (the driver waits until they come by). Wants
/// never go backwards, nor past the limit once the header fits.
class ContainerParser {
 public:
  enum class State : std::uint8_t { wanting, done, rejected };

  /// `offset`: of the magic; `limit`: the container must end at or before it. `samples`: how many
  /// packed bodies may be unpacked only to ask for their toolkit's version.
  ContainerParser(std::uint64_t offset, std::uint64_t limit, unsigned samples)
      : offset_(offset), limit_(limit), want_(offset), samples_(samples) {}

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t want_offset() const { return want_; }
  [[nodiscard]] std::uint64_t want_length() const { return length_; }
  /// Takes exactly the wanted bytes.
  void take(Bytes bytes);

  /// When done: the container and its images (container.first_image is not set).
  [[nodiscard]] const GpuContainer& container() const { return container_; }
  [[nodiscard]] const std::vector<GpuImage>& images() const { return images_; }

 private:
  enum class Step : std::uint8_t { container_header, entry_header, body };
  enum class Packing : std::uint8_t { plain, lz4, zstd };
  void take_container_header(Bytes bytes);
  void take_entry_header(Bytes bytes);
  void take_body(Bytes bytes);
  void next_entry();
  void reject() { state_ = State::rejected; }

  std::uint64_t offset_;
  std::uint64_t limit_;
  std::uint64_t want_;
  std::uint64_t length_ = kFatbinHeaderSize;
  std::uint64_t end_ = 0;
  std::uint64_t next_ = 0;      // where the next entry begins
  std::uint64_t unpacked_ = 0;  // of the entry whose body is wanted
  std::uint64_t packed_ = 0;
  Packing packing_ = Packing::plain;
  bool whole_ = false;     // the body is wanted to its end
  bool doubtful_ = false;  // and only it tells whether there is code; else it is a sample
  unsigned samples_;
  Step step_ = Step::container_header;
  State state_ = State::wanting;
  GpuContainer container_;
  std::vector<GpuImage> images_;
};

/// First position in `bytes` that holds the magic at a multiple of kFatbinAlignment counted from
/// the file's start; bytes.size() if there is none. `file_offset` is where `bytes` begin in the
/// file.
[[nodiscard]] std::size_t find_fatbin_magic(Bytes bytes, std::uint64_t file_offset);

}  // namespace plumb

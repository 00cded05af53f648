// SPDX-License-Identifier: Apache-2.0
#pragma once
// Raw deflate, streamed, by ISA-L (inflate_isal.cc) or zlib (inflate_zlib.cc); the build picks one
// file. Both give the same bytes; ISA-L takes half the time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };
  /// Decodes until `in` is used up, `out` is full or the stream ends. Both must be at most 1 GiB.
  /// Error: malformed.
  [[nodiscard]] Result<Step> step(Bytes in, std::span<std::byte> out);

  /// The final block has been decoded and all of it handed out.
  [[nodiscard]] bool finished() const;
  /// Once finished: bytes consumed in all that the stream did not need (a decoder takes a few
  /// ahead).
  [[nodiscard]] std::size_t overread() const;

  /// Everything needed to go on from here later, some 40 to 55 KB.
  class Checkpoint {
   public:
    Checkpoint(Checkpoint&&) noexcept;
    Checkpoint& operator=(Checkpoint&&) noexcept;
    ~Checkpoint();
    [[nodiscard]] std::size_t memory() const;  // bytes, about

   private:
    friend class Inflater;
    struct State;
    explicit Checkpoint(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /// What a Checkpoint taken after a step that filled its output takes, mostly.
  static const std::size_t kCheckpointSize;
  [[nodiscard]] Checkpoint save() const;
  void restore(const Checkpoint& checkpoint);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// CRC-32 as in zip and gzip; begin with 0 and pass the last result on.
[[nodiscard]] std::uint32_t crc32(std::uint32_t crc, Bytes bytes);

}  // namespace plumb

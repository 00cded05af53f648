// SPDX-License-Identifier: Apache-2.0
// zlib's inflate: Windows, and Linux without ISA-L.

#include <zlib.h>

#include <utility>

#include "binary/inflate.h"

namespace plumb {

struct Inflater::State {
  z_stream zlib{};
  bool finished = false;

  State() = default;
  State(const State& other) : finished(other.finished) {
    usable = inflateCopy(&zlib, const_cast<z_stream*>(&other.zlib)) == Z_OK;
  }
  State& operator=(const State&) = delete;
  ~State() { inflateEnd(&zlib); }
  bool usable = true;  // false: out of memory, the only way in which zlib's set-up fails
};

struct Inflater::Checkpoint::State {
  std::unique_ptr<Inflater::State> copy;
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  state_->usable = inflateInit2(&state_->zlib, -MAX_WBITS) == Z_OK;
}
Inflater::~Inflater() = default;

Result<Inflater::Step> Inflater::step(Bytes in, std::span<std::byte> out) {
  if (!state_->usable) {
    return fail(ErrorCode::internal, "zlib could not start");
  }
  if (finished()) {
    return Step{};
  }
  z_stream& zlib = state_->zlib;
  zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
  zlib.avail_in = static_cast<uInt>(in.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&zlib, Z_NO_FLUSH);
  state_->finished = code == Z_STREAM_END;
  // Z_BUF_ERROR: nothing could be done this time; fatal only if there was something to do it with.
  if (code != Z_OK && code != Z_STREAM_END &&
      (code != Z_BUF_ERROR || (!in.empty() && !out.empty()))) {
    return fail(ErrorCode::malformed, "the compressed data is broken");
  }
  return Step{in.size() - zlib.avail_in, out.size() - zlib.avail_out};
}

bool Inflater::finished() const {
  return state_->finished;
}
std::size_t Inflater::overread() const {
  return 0;
}

// The window, and zlib's private state (7,160 bytes in 1.2.13) with room for newer versions.
const std::size_t Inflater::kCheckpointSize = (1 << MAX_WBITS) + (12 << 10);

Inflater::Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Inflater::Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Inflater::Checkpoint& Inflater::Checkpoint::operator=(Checkpoint&&) noexcept = default;
Inflater::Checkpoint::~Checkpoint() = default;
std::size_t Inflater::Checkpoint::memory() const {
  return kCheckpointSize;
}

Inflater::Checkpoint Inflater::save() const {
  return Checkpoint(std::make_unique<Checkpoint::State>(std::make_unique<State>(*state_)));
}

void Inflater::restore(const Checkpoint& checkpoint) {
  state_ = std::make_unique<State>(*checkpoint.state_->copy);
}

std::uint32_t crc32(std::uint32_t crc, Bytes bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace plumb

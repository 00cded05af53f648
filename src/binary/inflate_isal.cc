// SPDX-License-Identifier: Apache-2.0
// ISA-L's inflate. What its documentation leaves open, as read in its behaviour (2.30 to 2.32):
// - The decoder keeps the last 32 KiB, and output it could not hand out yet, in its own buffer, so
// the state by itself
//   is a checkpoint; the pointers to the caller's buffers are set before each call.
// - It loads up to 8 bytes ahead into `read_in`. 2.30 leaves them there at the end of the stream,
// later versions step
//   `next_in` back, possibly to before this call's buffer.
// - Given broken input it may stop without an error and without progress, so progress is checked
// here.

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "binary/inflate.h"

namespace plumb {
namespace {

constexpr std::size_t kHistory = ISAL_DEF_HIST_SIZE;
constexpr std::size_t kFixedPart = offsetof(inflate_state, tmp_out_buffer);

}  // namespace

struct Inflater::State {
  inflate_state isal;
  std::size_t stepped_back;
};

struct Inflater::Checkpoint::State {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
};

Inflater::Inflater() : state_(std::make_unique_for_overwrite<State>()) {
  isal_inflate_init(&state_->isal);
  state_->isal.crc_flag = ISAL_DEFLATE;
  state_->stepped_back = 0;
}
Inflater::~Inflater() = default;

Result<Inflater::Step> Inflater::step(Bytes in, std::span<std::byte> out) {
  inflate_state& isal = state_->isal;
  isal.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
  isal.avail_in = static_cast<std::uint32_t>(in.size());
  isal.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  isal.avail_out = static_cast<std::uint32_t>(out.size());
  if (finished()) {
    return Step{};
  }
  const int code = isal_inflate(&isal);
  Step step;
  step.produced = out.size() - isal.avail_out;
  if (isal.avail_in > in.size()) {
    state_->stepped_back = isal.avail_in - in.size();
  } else {
    step.consumed = in.size() - isal.avail_in;
  }
  const bool stuck = step.consumed == 0 && step.produced == 0 && !in.empty() && !out.empty();
  if (code != ISAL_DECOMP_OK || (stuck && !finished())) {
    return fail(ErrorCode::malformed, "the compressed data is broken");
  }
  return step;
}

bool Inflater::finished() const {
  return state_->isal.block_state == ISAL_BLOCK_FINISH;
}

std::size_t Inflater::overread() const {
  const auto ahead = static_cast<std::size_t>(std::max(state_->isal.read_in_length, 0) / 8);
  return state_->stepped_back + ahead;
}

const std::size_t Inflater::kCheckpointSize = kFixedPart + kHistory + 1024;

Inflater::Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Inflater::Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Inflater::Checkpoint& Inflater::Checkpoint::operator=(Checkpoint&&) noexcept = default;
Inflater::Checkpoint::~Checkpoint() = default;
std::size_t Inflater::Checkpoint::memory() const {
  return state_->size;
}

/// The fixed part, then of the output buffer only the history that can still be referred to and
/// what is pending: 54 KB instead of 87.
Inflater::Checkpoint Inflater::save() const {
  const inflate_state& isal = state_->isal;
  const auto valid = static_cast<std::size_t>(isal.tmp_out_valid);
  const auto processed = static_cast<std::size_t>(isal.tmp_out_processed);
  const std::size_t begin = processed - std::min(processed, kHistory);
  auto saved = std::make_unique<Checkpoint::State>();
  saved->size = kFixedPart + valid - begin;
  saved->bytes = std::make_unique_for_overwrite<std::byte[]>(saved->size);
  std::memcpy(saved->bytes.get(), &isal, kFixedPart);
  std::memcpy(saved->bytes.get() + kFixedPart, isal.tmp_out_buffer + begin, valid - begin);
  const auto new_valid = static_cast<std::int32_t>(valid - begin);
  const auto new_processed = static_cast<std::int32_t>(processed - begin);
  std::memcpy(saved->bytes.get() + offsetof(inflate_state, tmp_out_valid), &new_valid,
              sizeof new_valid);
  std::memcpy(saved->bytes.get() + offsetof(inflate_state, tmp_out_processed), &new_processed,
              sizeof new_processed);
  return Checkpoint(std::move(saved));
}

void Inflater::restore(const Checkpoint& checkpoint) {
  std::memcpy(&state_->isal, checkpoint.state_->bytes.get(), checkpoint.state_->size);
  state_->stepped_back = 0;
}

std::uint32_t crc32(std::uint32_t crc, Bytes bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace plumb

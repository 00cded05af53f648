// SPDX-License-Identifier: Apache-2.0
// A zstd frame: what a smaller wish or a shorter frame gives must begin what the whole gives.
#include <cstdlib>

#include "binary/zstd_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::Bytes frame = std::as_bytes(std::span(data, size));
  const auto whole = plumb::decode_zstd_prefix(frame, 1 << 18);
  const auto few = plumb::decode_zstd_prefix(frame, 64);
  // Broken input may be noticed only past the bytes that were wanted, so the wish for few may give
  // more than the one for all.
  const std::string_view text = plumb::as_text(whole);
  const std::string_view head = plumb::as_text(few).substr(0, text.size());
  const auto cut = plumb::decode_zstd_prefix(frame.first(size - size / 4), 1 << 18);
  if (few.size() > 64 || !text.starts_with(head) || !text.starts_with(plumb::as_text(cut))) {
    std::abort();
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Four small readers of GPU code, picked by the first byte.
#include "binary/cubin.h"
#include "binary/lz4_block.h"
#include "binary/ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const plumb::Bytes bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const plumb::MemorySource source(bytes);
  switch (data[0] % 4) {
    case 0:
      static_cast<void>(plumb::read_cubin(source));
      break;
    case 1:
      static_cast<void>(plumb::parse_cubin_header(bytes));
      break;
    case 2:
      static_cast<void>(plumb::looks_like_ptx(bytes));
      static_cast<void>(plumb::read_ptx(source));
      break;
    default:
      static_cast<void>(plumb::decode_lz4_prefix(bytes, 1 << 16));
      break;
  }
  return 0;
}

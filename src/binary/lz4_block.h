// SPDX-License-Identifier: Apache-2.0
#pragma once
// LZ4 block decoding, for the heads of compressed cubins: fatbins hold bare blocks without a frame,
// of which plumb wants the first bytes only. Format: lz4's doc/lz4_Block_format.md.

#include <cstddef>
#include <vector>

#include "base/source.h"

namespace plumb {

/// Decodes until `wanted` bytes are there or the input ends or is broken; returns what was decoded
/// (maybe less than wanted). Never reads outside `block`.
[[nodiscard]] std::vector<std::byte> decode_lz4_prefix(Bytes block, std::size_t wanted);

}  // namespace plumb

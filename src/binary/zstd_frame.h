// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zstandard decoding, for the heads of compressed cubins: fatbins made by CUDA 12.9 and later hold
// one frame an image, of which plumb wants the first bytes only. Format: RFC 8878.

#include <cstddef>
#include <vector>

#include "base/source.h"

namespace plumb {

/// Decodes until `wanted` bytes are there, the frame ends, or the input is broken; returns what was
/// decoded (maybe less than wanted). Never reads outside `frame`.
///
/// `frame` may be cut short: whole blocks before the cut are decoded, of a raw block also what is
/// there, of a compressed one (up to 128 KiB unpacked) nothing, since it is read from its end. A
/// block found broken gives nothing. Frames that need a dictionary give nothing at all; a checksum
/// is not looked at.
///
/// Memory: `wanted` bytes and one block of literals. Callers keep `wanted` at 1 MiB or less: the
/// bytes decoded so far are the window. Time: linear in frame.size() and `wanted`, whatever the
/// bytes.
[[nodiscard]] std::vector<std::byte> decode_zstd_prefix(Bytes frame, std::size_t wanted);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cubins: the ELF files (machine 190) that hold SASS. Two layouts of e_flags and notes exist, told
// apart by the OS ABI byte; measured on CUDA 11.5 to 13.5 and, for the flag bits, LLVM's ELF.h
// (EF_CUDA_*).

#include <cstdint>
#include <optional>

#include "base/source.h"
#include "binary/gpu_code.h"

namespace plumb {

/// What the 64-byte ELF header alone says.
struct CubinHeader {
  Target target;  // suffix 'a' only where the header has the bit (CUDA 12.x); 13.x leaves it out
  std::uint16_t toolkit = 0;  // 10 * CUDA version, e.g. 128; 0 where only a note says it (ABI 8)
};

/// Empty unless `head` (>= 64 bytes) starts a 64-bit little-endian cubin.
[[nodiscard]] std::optional<CubinHeader> parse_cubin_header(Bytes head);

struct CubinFacts {
  CubinHeader header;
  bool has_code = false;  // some section named .text* of type PROGBITS and size > 0
};

/// Reads section table and notes. Errors: not a cubin (not_binary), truncated, malformed, limit.
[[nodiscard]] Result<CubinFacts> read_cubin(const Source& source);

/// What a cubin's unpacked size alone tells. Without a kernel and without data it has 664 to 1,464
/// bytes (up to sm_89), 1,736 (sm_90) or 2,248 (sm_100 and up); with one empty kernel, made by CUDA
/// 13, 2,856, 3,432 or 5,016. In between (`maybe`) lie kernels of older toolkits and of device
/// functions only (1,960 for sm_52, 2,304 for sm_80, 2,552 for sm_90): those must be looked into.
/// An image that holds nothing but data and is larger counts as code: it serves its card.
enum class CodeBySize : std::uint8_t { none, maybe, some };
[[nodiscard]] CodeBySize code_by_size(Target target, std::uint64_t unpacked_bytes);

}  // namespace plumb

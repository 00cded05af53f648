// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes fatbin containers for tests.

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::test {

struct FatbinEntry {
  std::uint16_t kind = 2;  // 1 PTX, 2 cubin, 4 old cubin, 8 LTO
  std::uint32_t arch = 90;
  std::string body = {};
  std::uint64_t flags = 0x11;  // 0x2000 LZ4, 0x8000 zstd, 0x100000 'a', 0x200000 'f'
  std::uint64_t unpacked = 0;  // 0 where nothing is packed
  std::uint16_t isa_major = 0, isa_minor = 0;
  std::uint32_t extras = 0;  // bytes of header beyond 64
};

inline constexpr std::uint64_t kFatbinLz4 = 0x2000, kFatbinZstd = 0x8000,
                               kFatbinArchSpecific = 0x100000, kFatbinFamily = 0x200000;

/// A container; bodies are padded to 8 bytes.
[[nodiscard]] std::string build_fatbin(const std::vector<FatbinEntry>& entries);

/// One container with one cubin that has a kernel.
[[nodiscard]] std::string simple_fatbin(std::uint16_t sm = 90);

/// The text of a PTX module; with a kernel or without.
[[nodiscard]] std::string ptx_text(const std::string& isa, const std::string& target,
                                   bool kernel = true);

/// The same bytes as one LZ4 block of literals only.
[[nodiscard]] std::string as_lz4(const std::string& bytes);
/// The same bytes as one zstd frame of raw blocks.
[[nodiscard]] std::string as_zstd(const std::string& bytes);

}  // namespace plumb::test

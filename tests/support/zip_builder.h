// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes zip archives for tests: honest ones, and, by overwriting fields at the places it tells,
// lying ones.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::test {

struct ZipMember {
  std::string name;
  std::string data;
  bool deflated = true;
  bool zip64 = false;       // sizes in zip64 extra fields, in both headers
  bool descriptor = false;  // flag bit 3: sizes behind the data, zeros in the local header
};

struct ZipOptions {
  std::string prefix = {};  // bytes before the archive (offsets count from behind it)
  std::string comment = {};
  bool zip64_end = false;  // zip64 end record and locator; the end record says "see there"
};

struct ZipFile {
  std::string bytes;
  std::vector<std::size_t> local;    // offset of each local header
  std::vector<std::size_t> data;     // of each member's bytes
  std::vector<std::size_t> central;  // of each central directory entry
  std::size_t end64 = 0;             // of the zip64 end record
  std::size_t end = 0;               // of the end record
};

[[nodiscard]] ZipFile build_zip(const std::vector<ZipMember>& members,
                                const ZipOptions& options = {});

/// Raw deflate by zlib.
[[nodiscard]] std::string deflate_raw(std::string_view data, int level = 6);

/// Text that compresses some three times, the same for the same arguments.
[[nodiscard]] std::string sample_text(std::size_t size, std::uint32_t seed = 1);

void put16(std::string& bytes, std::size_t offset, std::uint16_t value);
void put32(std::string& bytes, std::size_t offset, std::uint32_t value);
void put64(std::string& bytes, std::size_t offset, std::uint64_t value);

}  // namespace plumb::test

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The directory of a zip archive (wheels, .conda): which members there are and where their bytes
// lie. Reads the central directory only, zip64 included; member_source.h reads the members.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

inline constexpr std::uint16_t kZipStored = 0;
inline constexpr std::uint16_t kZipDeflated = 8;

struct ZipEntry {
  std::string name;  // raw bytes; folders end in '/'
  std::uint16_t method = kZipStored;
  std::uint16_t flags = 0;
  std::uint32_t crc32 = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;           // unpacked
  std::uint64_t header_offset = 0;  // of the local header, in the archive's file
  std::optional<Error> fault;       // why plumb does not read this member; the others are fine
  std::uint64_t end_limit =
      0;  // where the next member or the directory begins: nothing of this one lies past it

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
};

struct ZipDirectory {
  std::vector<ZipEntry> entries;  // in central directory order
};

/// Errors of the whole archive: truncated (no end record), malformed (directory outside the file or
/// not as announced), unsupported (split over disks), limit (too many members; a bomb). A fault of
/// one member is kept in its entry: malformed (unsafe name, overlapping or impossible place,
/// doubled name), encrypted, unsupported (method), limit (claims more than deflate can make of its
/// bytes).
[[nodiscard]] Result<ZipDirectory> read_zip_directory(const Source& archive);

/// The member of that name; null if there is none. Looks at each in turn.
[[nodiscard]] const ZipEntry* find_member(const ZipDirectory& directory, std::string_view name);

/// Why a name must not be trusted as a path below some folder ("is an absolute path"); empty if it
/// may be.
[[nodiscard]] std::string_view unsafe_member_name(std::string_view name);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the PE reader: the image by RVA, and the readers of its directories. Not for other
// code; use pe.h.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "binary/pe.h"

namespace plumb::pe {

/// What a hostile file may make us do. Real files stay far below: the largest known export table is
/// TensorFlow's with 65,535 entries (more do not fit: ordinals have 16 bits), and 96 sections was
/// the loader's own limit once.
inline constexpr std::uint32_t kMaxSections = 1024;
inline constexpr std::uint32_t kMaxExports = 1U << 16;
inline constexpr std::uint32_t kMaxLibraries = 4096;
inline constexpr std::uint32_t kMaxImportedFunctions = 1U << 17;
inline constexpr std::uint64_t kMaxNameBytes = 32U << 20;  // of all names of one kind together
inline constexpr std::uint64_t kMaxName = 4096;            // mangled C++ names are long
inline constexpr std::uint64_t kMaxResource = 1U << 20;

inline constexpr std::size_t kExportDirectory = 0;
inline constexpr std::size_t kImportDirectory = 1;
inline constexpr std::size_t kResourceDirectory = 2;
inline constexpr std::size_t kLoadConfigDirectory = 10;
inline constexpr std::size_t kDelayImportDirectory = 13;
inline constexpr std::size_t kClrDirectory = 14;

/// Reads a file as a loader would lay it out in memory: by RVA, and zeros where a section is longer
/// in memory than in the file.
class PeImage {
 public:
  PeImage(const Source& source, const PeFile& file) : file_(file), reader_(source) {}

  [[nodiscard]] const PeFile& file() const { return file_; }
  /// The directory, or {0, 0} if the header has none.
  [[nodiscard]] PeDirectory directory(std::size_t index) const;

  /// `length` bytes at `rva`. Errors: malformed (in no section), truncated, limit (above
  /// kMaxTable), or the source's.
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t rva, std::uint64_t length);
  [[nodiscard]] Result<std::uint32_t> read_u32(std::uint64_t rva);
  [[nodiscard]] Result<std::uint64_t> read_u64(std::uint64_t rva);
  /// A NUL-terminated name of 1 to kMaxName bytes, counted against the budget of all names read
  /// here.
  [[nodiscard]] Result<std::string> read_name(std::uint64_t rva);

 private:
  static constexpr std::uint64_t kMaxTable = 4U << 20;
  const PeFile& file_;
  PagedReader reader_;
  std::uint64_t name_bytes_ = 0;
};

/// Each fills its part of `out` as far as it gets; the error says why it stopped.
[[nodiscard]] Result<void> read_imports(PeImage& image, bool functions, PeFile& out);
[[nodiscard]] Result<void> read_delay_imports(PeImage& image, bool functions, PeFile& out);
[[nodiscard]] Result<void> read_exports(PeImage& image, ExportDetail detail, PeFile& out);
[[nodiscard]] Result<void> read_version_resource(PeImage& image, PeFile& out);
[[nodiscard]] Result<void> read_manifest(PeImage& image, PeFile& out);

}  // namespace plumb::pe

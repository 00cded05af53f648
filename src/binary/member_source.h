// SPDX-License-Identifier: Apache-2.0
#pragma once
// One member of a zip archive as a Source, unpacked while it is read and never as a whole in
// memory. A deflated stream can only be read forward; so while it is, the decoder's state is saved
// every few megabytes, and a later read anywhere starts from the nearest saved state.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/result.h"
#include "base/source.h"
#include "binary/zip.h"

namespace plumb {

/// Not thread-safe itself; several MemberSources of one archive may work in parallel if the
/// archive's read() may. Memory: at most some 16 MB (saved states and block cache), however large
/// the member; stored members need none.
class MemberSource final : public Source {
 public:
  /// Reads the local header. `archive` must outlive the result; `entry` need not. Errors: the
  /// entry's fault; malformed (the local header disagrees with the directory); the archive's.
  [[nodiscard]] static Result<std::unique_ptr<MemberSource>> open(const Source& archive,
                                                                  const ZipEntry& entry);
  ~MemberSource() override;

  /// Passes all unpacked bytes, in order, in pieces of up to 256 KiB. Then the size and the CRC-32
  /// are compared: mismatch. Broken compressed data: malformed; ends too soon: truncated. An error
  /// of `consumer` ends it at once.
  [[nodiscard]] Result<void> drain(const std::function<Result<void>(Bytes)>& consumer);

  [[nodiscard]] std::uint64_t size() const override;

  /// At any offset, before or after drain(). Going forward costs one decoding in all; going back
  /// costs at most the distance between two saved states. Does not check the CRC-32.
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  class Reader;  // the deflated case
  MemberSource(const Source& archive, const ZipEntry& entry, std::uint64_t data_offset);

  const Source& archive_;
  std::uint64_t data_offset_;
  std::uint64_t size_;
  std::uint32_t crc32_;
  std::string name_;                // printable, for errors
  std::unique_ptr<Reader> reader_;  // null: stored
};

}  // namespace plumb

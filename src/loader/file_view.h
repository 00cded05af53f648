// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of a machine as a loader sees them. A replay asks nothing else, so what stands behind
// it may be the running machine, a system mounted in a folder, a tree made up for a test or a saved
// snapshot, of Linux or of Windows, whichever of them plumb itself runs on.
//
// Paths are that machine's own: "/usr/lib/libz.so.1", "C:\\Windows\\System32\\kernel32.dll". On
// Windows names match whatever their case.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "binary/elf.h"
#include "binary/pe.h"

namespace plumb {

enum class EntryKind : std::uint8_t { none, file, folder, special, denied, loop };

struct FileEntry {
  // Of what the links lead to; `none` for a dangling link, `loop` for links that go in a circle.
  EntryKind kind = EntryKind::none;
  /// The same text for every path that leads to this file or folder; "" where there is none.
  std::string identity;
};

class FileView {
 public:
  FileView() = default;
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  virtual ~FileView() = default;

  [[nodiscard]] virtual FileEntry entry(const std::string& path) = 0;
  /// Absolute, links followed (realpath); the path itself if that fails.
  [[nodiscard]] virtual std::string resolved(const std::string& path) = 0;
  /// Names in a folder, sorted by bytes; empty if there is none.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) = 0;

  /// Headers of a binary, read once; valid as long as the view. Errors as read_elf()'s and
  /// read_pe()'s, or the system's.
  [[nodiscard]] virtual Result<const ElfFile*> elf(const std::string& path) = 0;
  [[nodiscard]] virtual Result<const PeFile*> pe(const std::string& path) = 0;
  /// All bytes, for symbol tables and small texts. A snapshot, which has none, answers
  /// `unsupported`.
  [[nodiscard]] virtual Result<std::shared_ptr<const Source>> open(const std::string& path) = 0;
};

}  // namespace plumb

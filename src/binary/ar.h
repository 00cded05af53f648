// SPDX-License-Identifier: Apache-2.0
#pragma once
// Static archives: .a of GNU, BSD and macOS tools, .lib of MSVC. Members are listed, their bytes
// stay where they are.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

struct ArMember {
  std::string name;          // as written, "" if the archive gives none; not fit to be a path
  std::uint64_t offset = 0;  // of the member's bytes in the archive
  std::uint64_t size = 0;
  std::string import_dll;  // a MSVC short import object: the DLL it imports from, else ""
};

struct ArFile {
  std::vector<ArMember> members;  // in file order; symbol and name tables left out
  std::vector<Error>
      faults;  // what could not be read: a member cut off, a name that points nowhere
};

/// True if `first_bytes` start with "!<arch>\n" or "!<thin>\n".
[[nodiscard]] bool looks_like_ar(Bytes first_bytes);

/// Lists the members. Errors: not_binary, unsupported (a thin archive: its members are other
/// files), limit.
[[nodiscard]] Result<ArFile> read_ar(const Source& source);

}  // namespace plumb

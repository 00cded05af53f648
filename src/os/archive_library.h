// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compressed tar archives (.tar.bz2, .tar.zst), by the system's libarchive if it is there.

#include <functional>
#include <string>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

/// Calls `visit` for each regular file, in archive order. The Source lives for that call only. It
/// can be read anywhere, but the archive only runs forward: what was passed more than some 20 MB
/// ago, the member's first 4 MB aside, costs unpacking from the archive's beginning again (bounded
/// in number: limit). An error of `visit` ends it all and is returned. Other errors: unsupported
/// (no libarchive, or one that cannot), malformed, limit (a bomb), `archive`'s. One archive at a
/// time in the process (the decompressor alone may take 128 MB); `visit` must not call this.
[[nodiscard]] Result<void> read_archive(
    const Source& archive,
    const std::function<Result<void>(const std::string& name, const Source& member)>& visit);

}  // namespace plumb

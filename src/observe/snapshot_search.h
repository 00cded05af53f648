// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/snapshot.h"
#include "observe/library_search.h"

namespace plumb {

/// search_libraries() on a machine that is not here. Errors: usage (no such framework), unsupported
/// (a question that needs the files themselves: --of, --symbols, several frameworks in one process,
/// libraries that neither belong to CUDA nor were loaded by any framework).
[[nodiscard]] Result<LibraryAnswer> search_snapshot(const Snapshot& snapshot,
                                                    const LibraryQuestion& question);

}  // namespace plumb

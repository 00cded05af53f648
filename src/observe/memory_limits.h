// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of the machine, and what this process may take of it.

#include "facts/system_state.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] MemoryFacts observe_memory(const Host& host);
[[nodiscard]] LimitFacts observe_limits(const Host& host);

/// "C:\\pagefile.sys 1024 4096" of PagingFiles.
[[nodiscard]] PageFile parse_page_file(std::string_view text);
/// The line of /proc/self/limits that begins with `name` ("Max open files"); empty if there is
/// none.
[[nodiscard]] std::optional<ProcessLimit> parse_process_limit(std::string_view text,
                                                              std::string_view name);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variables of the process that change what programs for GPUs do, and proxies. Secrets are masked
// here, before anything else sees them.

#include <string>
#include <string_view>
#include <vector>

#include "facts/process_state.h"
#include "observe/host.h"
#include "observe/mount_table.h"

namespace plumb {

[[nodiscard]] std::vector<Variable> observe_program_variables(const Host& host);
[[nodiscard]] ProxyFacts observe_proxies(const Host& host, const MountTable& mounts);

/// Those that are set of `names` and, where the names of all variables can be told, that begin with
/// one of `prefixes`; sorted by name, at most 500. On Windows case does not matter.
[[nodiscard]] std::vector<Variable> variables_of(const Host& host,
                                                 const std::vector<std::string>& names,
                                                 const std::vector<std::string>& prefixes);

/// The name or the value cut and masked as facts/process_state.h says.
[[nodiscard]] Variable masked_variable(const std::string& name, const std::string& value);

}  // namespace plumb

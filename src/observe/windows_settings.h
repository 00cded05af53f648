// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the Windows loader of a machine starts from.

#include "loader/windows_process.h"
#include "observe/host.h"
#include "observe/real_files.h"

namespace plumb {

/// `program` decides the machine. PATH and KnownDLLs are the running system's; for a mounted one
/// PATH is empty and KnownDLLs are Windows 10's.
[[nodiscard]] WindowsSettings observe_windows_settings(const Host& host, RealFiles& files,
                                                       const std::string& program);

}  // namespace plumb

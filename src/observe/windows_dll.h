// SPDX-License-Identifier: Apache-2.0
#pragma once
// Version resources of the driver's DLLs, and which folders of Windows' driver store are NVIDIA's.

#include <string>
#include <string_view>

#include "facts/fact.h"

namespace plumb {

/// FILEVERSION as "32.0.15.6094". `path` is opened; the fact has `origin`.
[[nodiscard]] Fact<std::string> dll_version(const std::string& path, const std::string& origin);

/// "nv_dispi.inf_amd64_0123456789abcdef": names of one driver package each; letters' case is
/// ignored. The part before ".inf" differs by maker.
[[nodiscard]] bool is_nvidia_store_folder(std::string_view name);

}  // namespace plumb

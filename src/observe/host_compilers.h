// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compilers that nvcc can hand the host's half of a program to. No compiler is run: on Linux
// file names and links tell versions, on Windows Visual Studio's own notes and folders do.

#include <string>
#include <vector>

#include "facts/host_compilers.h"
#include "observe/cuda_files.h"

namespace plumb {

[[nodiscard]] HostCompilers observe_host_compilers(CudaFiles& files);

/// What `limits` say of each compiler of `all` that they have a limit for.
[[nodiscard]] std::vector<HostCompilerVerdict> judge_compilers(const HostCompilerLimits& limits,
                                                               const HostCompilers& all);

/// Visual Studio 2017 and later: a toolset "14.44.35207" is cl 19.44, whose _MSC_VER is 1944.
[[nodiscard]] std::uint64_t msc_ver_of_toolset(std::string_view toolset);

}  // namespace plumb

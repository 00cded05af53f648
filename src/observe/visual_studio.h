// SPDX-License-Identifier: Apache-2.0
#pragma once
// Visual Studio, its Build Tools and the Windows SDK, from their installers' notes.

#include "facts/host_compilers.h"
#include "observe/cuda_files.h"

namespace plumb {

/// Fills `visual_studio` and `windows_sdks` and adds each toolset's cl.exe to `compilers`.
void observe_visual_studio(CudaFiles& files, HostCompilers& all);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// All of CUDA that is installed besides the driver. Nothing is run or loaded.

#include <string>
#include <vector>

#include "binary/library_cache.h"
#include "facts/cuda_software.h"
#include "observe/host.h"

namespace plumb {

/// `cache` as read_library_cache() gives it; `extra_folders` are Python environments' folders
/// (site-packages, conda prefixes), as opened here.
[[nodiscard]] CudaSoftware observe_cuda_software(const Host& host,
                                                 const std::vector<CachedLibrary>& cache,
                                                 const std::vector<std::string>& extra_folders);

}  // namespace plumb

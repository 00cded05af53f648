// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuDNN is ten libraries that must be of one version: whether those in a folder belong together,
// and which headers of cuDNN, NCCL and TensorRT there are.

#include <string>
#include <vector>

#include "facts/cuda_software.h"
#include "observe/cuda_files.h"

namespace plumb {

/// Headers near the copies' folders, in toolkits, in wheels and in the system's include folders.
[[nodiscard]] std::vector<LibraryHeader> find_library_headers(
    CudaFiles& files, const std::vector<CudaToolkit>& toolkits,
    const std::vector<CudaLibraryCopy>& copies);

/// One for each folder and major version.
[[nodiscard]] std::vector<CudnnSet> find_cudnn_sets(CudaFiles& files,
                                                    const std::vector<CudaLibraryCopy>& copies,
                                                    const std::vector<LibraryHeader>& headers);

}  // namespace plumb

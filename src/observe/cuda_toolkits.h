// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA toolkits, wherever installers, distributions, conda, wheels and module systems put them.

#include <string>
#include <vector>

#include "facts/cuda_software.h"
#include "observe/cuda_files.h"

namespace plumb {

/// `extra_folders`: site-packages folders and conda prefixes, as paths of the machine looked at.
/// Limits of compilers are read; verdicts on compilers are not: see judge_compilers().
[[nodiscard]] CudaToolkits observe_cuda_toolkits(CudaFiles& files,
                                                 const std::vector<std::string>& extra_folders);

}  // namespace plumb

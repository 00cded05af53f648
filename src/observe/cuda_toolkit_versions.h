// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which version a toolkit says it is, in all places where it says so.

#include <optional>
#include <string>
#include <string_view>

#include "facts/cuda_software.h"
#include "observe/cuda_files.h"

namespace plumb {

/// Fills `versions`, `agree`, `version` and `limits` of a toolkit whose folders are known.
void read_toolkit_versions(CudaFiles& files, CudaToolkit& toolkit);

/// "13.0.88", "11.8.20220929" -> "13.0", "11.8"; "" if there are no two numbers.
[[nodiscard]] std::string major_minor(std::string_view version);
/// "cuda-12.8", "v12.8" -> "12.8"; empty without two numbers.
[[nodiscard]] std::optional<std::string> version_of_folder_name(std::string_view name);
/// "NVIDIA Cuda compiler driver, Version 13.0.88 " -> "13.0.88".
[[nodiscard]] std::optional<std::string> version_of_description(std::string_view description);

}  // namespace plumb

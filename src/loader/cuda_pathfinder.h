// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA's search for CUDA libraries from Python, the package cuda.pathfinder, which CuPy uses.
//
// Source: cuda-pathfinder 1.8.1 and 1.9.1 (load_nvidia_dynamic_lib, descriptor_catalog).

#include <string>
#include <string_view>

#include "loader/linux_import.h"
#include "loader/windows_import.h"

namespace plumb {

class CudaPathfinder {
 public:
  explicit CudaPathfinder(LinuxImport& import) : import_(import) {}

  /// load_nvidia_dynamic_lib(): "cublas", "nvrtc", "cutensor" ...; false if it raises.
  bool load(std::string_view library);

 private:
  std::string find_file(std::string_view library, bool late);

  LinuxImport& import_;
  std::vector<std::pair<std::string, bool>> answers_;  // each is asked for once
};

/// load_nvidia_dynamic_lib() on Windows: the file of the DLL that is in the process then; "" if it
/// raises.
std::string load_by_pathfinder(WindowsImport& import, std::string_view library);

}  // namespace plumb

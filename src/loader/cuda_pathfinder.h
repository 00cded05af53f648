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

/// Where a library was found.
struct PathfinderHit {
  std::string path;
  std::string_view via;  // "loaded", "site-packages", "conda", "system", a variable's name
};

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

/// Where cuda.pathfinder finds a DLL, which the caller then loads; "" if nowhere but in the
/// system's own search.
[[nodiscard]] std::string find_by_pathfinder(WindowsImport& import, std::string_view library);

}  // namespace plumb

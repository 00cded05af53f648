// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every copy of the driver's user libraries in the folders where drivers and container runtimes put
// them: two versions side by side, empty leftovers, and libraries that take the driver's place.

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "binary/library_cache.h"
#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] DriverLibraries observe_driver_libraries(const Host& host,
                                                       const std::vector<CachedLibrary>& cache);

/// The JSON text of a library's .note.cuda.fwd_compatibility. Errors: not_found (it has none),
/// malformed, or the source's.
[[nodiscard]] Result<std::string> read_compat_note(const Source& source);

/// {"format":1,"CUDA version":"12.9","driver":[535,550],"device":[1,2,7]}: fills cuda and
/// driver_majors; of other shapes nothing.
void parse_compat_note(std::string_view json, CompatLibrary& library);

}  // namespace plumb

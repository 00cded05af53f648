// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/source.h"
#include "observe/inspect.h"

namespace plumb {

/// A conda package (.conda, .tar.bz2), by the system's libarchive; without it an error says what to
/// install.
[[nodiscard]] Inspection inspect_conda(const std::string& path, const Source& source,
                                       const InspectOptions& options);

}  // namespace plumb

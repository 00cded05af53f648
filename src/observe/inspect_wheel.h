// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/source.h"
#include "observe/inspect.h"

namespace plumb {

/// A wheel: F of its own, then its binary members by name. Members are unpacked as they are read, a
/// few at a time.
[[nodiscard]] Inspection inspect_wheel(const std::string& path, const Source& source,
                                       const InspectOptions& options);

}  // namespace plumb

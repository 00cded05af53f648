// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA toolkits that are installed for the whole machine. Frameworks from wheels bring their own
// libraries and use none; people suspect it first all the same.

#include <vector>

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// Each folder once, however many names lead to it; newest first.
[[nodiscard]] std::vector<Toolkit> observe_toolkits(const Host& host);

}  // namespace plumb

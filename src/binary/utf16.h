// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/source.h"

namespace plumb {

/// UTF-16LE to UTF-8; unpaired surrogates become U+FFFD, an odd last byte is dropped.
[[nodiscard]] std::string utf8_from_utf16(Bytes text);

}  // namespace plumb

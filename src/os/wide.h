// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between UTF-8 and the 16-bit text of Windows. Names on Windows are any 16-bit units, not always
// UTF-16; an unpaired surrogate travels as three bytes (the encoding called WTF-8), so a name read
// can be opened again. On both systems, one unit a wchar_t, so that it is tested on both.

#include <string>
#include <string_view>

namespace plumb {

/// Bytes that are neither UTF-8 nor WTF-8 become U+FFFD.
[[nodiscard]] std::wstring to_wide(std::string_view text);
[[nodiscard]] std::string from_wide(std::wstring_view wide);

}  // namespace plumb

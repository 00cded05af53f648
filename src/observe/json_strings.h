// SPDX-License-Identifier: Apache-2.0
#pragma once
// Strings out of a JSON file of somebody else's, without building the document: state.json of
// Visual Studio has megabytes.

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plumb {

/// Strings of the outer object and of the objects in it: "a" -> text, "a.b" -> text; deeper ones
/// and those in lists are passed over. At most 4096 of them. Errors: malformed (not JSON, or not
/// an object).
[[nodiscard]] Result<std::map<std::string, std::string>> json_strings(std::string_view text);

}  // namespace plumb

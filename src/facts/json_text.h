// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/json_fields.h"

namespace plumb {

/// Json::dump(1) for text that is UTF-8 already, as all of json_of_fields() is: a snapshot is some
/// hundred kilobytes, of which the library's own writer checks each byte anew (a third of the whole
/// time that a snapshot takes).
[[nodiscard]] std::string json_text(const Json& json);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "judge/check.h"

namespace plumb {

/// {"schema":1,"verdict","state","complete","layers":[...],"causes":[...],"machine":{...},
/// "errors":[...]}; keys are only added within a schema. Ends with a line feed.
[[nodiscard]] std::string check_json(const CheckReport& report, const MachineFacts& machine,
                                     const Catalog& catalog);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "binary/export_detail.h"
#include "judge/inspection_judgement.h"

namespace plumb {

/// The contract of docs/json.md, schema 1: {"schema":1,"files":[...],"errors":[...]}. Ends with a
/// line feed.
[[nodiscard]] std::string inspect_json(const JudgedInspection& judged, ExportDetail exports);

}  // namespace plumb

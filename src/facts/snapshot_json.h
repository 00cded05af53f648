// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "facts/json_fields.h"
#include "facts/snapshot.h"

namespace plumb {

[[nodiscard]] Json snapshot_json(const Snapshot& snapshot);
/// What snapshot_json() gives, as a JSON Schema: docs/snapshot.schema.json.
[[nodiscard]] Json snapshot_schema();

/// A snapshot that plumb wrote, of any release. Errors: malformed (no JSON, no snapshot, or a part
/// of another shape), unsupported (a newer form), limit (nested too deep).
[[nodiscard]] Result<Snapshot> parse_snapshot(std::string_view text);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "facts/snapshot_json.h"

#include "facts/json_schema.h"

namespace plumb {
namespace {

constexpr int kDeepest = 64;  // a snapshot's own parts nest to about 10

/// Depth of brackets outside of texts; a parser that builds a tree would go along with any depth.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) {
        return true;
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

namespace json_fields {

ErrorCode error_code_of(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    if (error_code_name(static_cast<ErrorCode>(code)) == name) {
      return static_cast<ErrorCode>(code);
    }
  }
  return ErrorCode::io;
}

}  // namespace json_fields

Json snapshot_json(const Snapshot& snapshot) {
  return json_of_fields(snapshot);
}

Json snapshot_schema() {
  return json_schema<Snapshot>("plumb snapshot");
}

Result<Snapshot> parse_snapshot(std::string_view text) {
  if (nests_too_deep(text)) {
    return fail(ErrorCode::limit, "is nested too deep for a snapshot");
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return fail(ErrorCode::malformed, "is not JSON");
  }
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || schema == json.end() || !schema->is_number_integer() ||
      !json.contains("machine")) {
    return fail(ErrorCode::malformed, "is no snapshot: `plumb snapshot -o FILE` makes one");
  }
  if (schema->get<std::int64_t>() != kSnapshotSchema) {
    return fail(ErrorCode::unsupported,
                "is of another form (schema " + std::to_string(schema->get<std::int64_t>()) +
                    ") than this plumb reads (" + std::to_string(kSnapshotSchema) + ")");
  }
  return fields_of_json<Snapshot>(json);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// A snapshot from anywhere, judged, told and redacted.
#include <cstdint>
#include <string_view>

#include "facts/json_text.h"
#include "facts/snapshot_json.h"
#include "judge/check.h"
#include "observe/snapshot_search.h"
#include "report/check_json.h"
#include "report/check_text.h"
#include "report/redaction.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto snapshot =
      plumb::parse_snapshot(std::string_view(reinterpret_cast<const char*>(data), size));
  if (snapshot) {
    const plumb::Catalog& catalog = plumb::Catalog::builtin();
    const plumb::CheckReport report = plumb::judge_check(snapshot->machine, {}, catalog);
    static_cast<void>(plumb::check_json(report, snapshot->machine, catalog));
    static_cast<void>(plumb::check_text(report, {}));
    plumb::LibraryQuestion question;
    question.libraries = {"cudnn"};
    question.all = true;
    static_cast<void>(plumb::search_snapshot(*snapshot, question));
    plumb::Json json = plumb::snapshot_json(*snapshot);
    plumb::redact(json, {"meier", "host", "/home/meier"});
    static_cast<void>(plumb::json_text(json));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "cli/snapshot_file.h"

#include "facts/snapshot_json.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLargestSnapshot = 256 << 20;

}  // namespace

Result<Snapshot> read_snapshot_file(const std::string& path) {
  const auto text = read_text_file(path, kLargestSnapshot);
  if (!text) {
    return std::unexpected(Error(text.error()).in(path));
  }
  auto snapshot = parse_snapshot(*text);
  if (!snapshot) {
    return std::unexpected(std::move(snapshot).error().in(path));
  }
  return snapshot;
}

}  // namespace plumb

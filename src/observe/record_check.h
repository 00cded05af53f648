// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the files that RECORDs name are there. Each folder is listed once, whatever the number of
// files and packages in it, and several at a time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/machine.h"
#include "facts/python_packages.h"

namespace plumb {

inline constexpr std::size_t kMostRecordFiles = 200'000;

struct RecordChecks {
  std::vector<Fact<RecordCheck>> checks;  // one for each distribution
  std::size_t folders_listed = 0;
  bool cut = false;              // `most_files` was reached: the rest was left out
  std::uint32_t long_paths = 0;  // Windows: of 260 characters or more
  std::string longest_path;
};

/// `outer` is the folder that rows may not leave: the environment's root. `environment_system`
/// decides whether case counts. `shown_offset`: how much longer (or shorter) paths are on the
/// machine looked at than here.
[[nodiscard]] RecordChecks check_records(const std::vector<const Distribution*>& distributions,
                                         const std::string& outer,
                                         const std::string& environment_system,
                                         std::ptrdiff_t shown_offset = 0,
                                         std::size_t most_files = kMostRecordFiles);

/// The paths of a RECORD's rows with '/' as separator, compiled files left out; at most `most`.
/// Rows that are no CSV are left out.
[[nodiscard]] std::vector<std::string> paths_of_record(std::string_view text, std::size_t most);

}  // namespace plumb

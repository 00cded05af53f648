// SPDX-License-Identifier: Apache-2.0
#pragma once
// From what a user names to the files to look at.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/inspection.h"

namespace plumb {

struct WalkedFile {
  std::string path;
  std::uint64_t size = 0;
  bool named = false;  // by the user: not being a binary is an error then
};

struct Walk {
  std::vector<WalkedFile> files;  // sorted by path, folder by folder; each file once
  std::vector<InspectError> errors;
};

/// Folders are walked with all they hold, several at a time. Links to folders are not followed (no
/// loops); a link to a file counts only if the file itself is not among those found. FIFOs and
/// devices are left alone, and an error where they were named.
[[nodiscard]] Walk walk_files(const std::vector<std::string>& paths);

/// True for names that are text by their ending (.py, .h, .json ...): never opened while walking.
[[nodiscard]] bool is_text_name(std::string_view name);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "judge/check.h"
#include "report/text_style.h"

namespace plumb {

struct CheckTextOptions {
  TextStyle style;
  bool quiet = false;    // the answer alone
  bool verbose = false;  // whole paths, each extension, where things were read
  std::string how;       // "Read from files in 30 ms; nothing was run."
  std::string root;      // of the environment: paths are shown from there
};

/// For people: the answer, the layers from the lowest up, the one cause with what to do, the other
/// causes in a line each.
[[nodiscard]] std::string check_text(const CheckReport& report, const CheckTextOptions& options);

}  // namespace plumb

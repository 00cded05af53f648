// SPDX-License-Identifier: Apache-2.0
#pragma once
// The question "which file is really loaded", put to an environment or to one file.

#include <string>
#include <vector>

#include "loader/library_choices.h"
#include "loader/linux_symbols.h"
#include "observe/host.h"

namespace plumb {

struct LibraryQuestion {
  std::vector<std::string> libraries;   // "cudnn", "libcudnn.so.9"
  std::vector<std::string> frameworks;  // imported in this order into one process; empty = each
                                        // installed one in a process of its own
  std::string file;                     // --of: a path here
  std::string environment;              // --env: "" = the one in force, none for `file`
  bool all = false;                     // every CUDA library of the frameworks
  bool symbols = false;
};

struct LibraryAnswer {
  std::string file;  // of --of, on the machine looked at
  std::vector<LibraryChoice> results;
  SymbolCheck symbols;
  std::vector<std::string> failures;  // imports that fail, in the loader's words
  std::vector<Error> errors;          // what could not be read
};

/// Errors: usage (no environment, no such framework in it, not a binary), or the file's.
[[nodiscard]] Result<LibraryAnswer> search_libraries(const Host& host,
                                                     const LibraryQuestion& question);

}  // namespace plumb

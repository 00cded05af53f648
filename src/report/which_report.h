// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `which` answers, as JSON for programs and as text for people.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "loader/library_choices.h"
#include "report/text_style.h"

namespace plumb {

/// A symbol that is not there, in words that people can follow.
struct ShownSymbol {
  std::string symbol;
  std::string version;
  std::string file;  // that wants it
  std::string demangled;
  std::string expected_in;  // the library that should have had it
  std::string also_in;      // another copy on the machine that has it; "" = none was seen
  bool whole_version = false;
};

struct WhichReport {
  std::string subject;  // the file of --of; "" otherwise
  bool asked_all = false;
  std::vector<LibraryChoice> results;
  bool with_symbols = false;
  std::uint64_t symbols_looked_up = 0;
  std::vector<ShownSymbol> missing_symbols;
  std::vector<std::string> failures;  // "torchvision: libcudart.so.12: cannot open ..."
  std::vector<Error> errors;
};

/// {"schema":1,"results":[{"library","chosen":{"path","rule","version"}|null,"losers":[{"path",
/// "version","why"}...],"needed_by":[...]}...]}; with --symbols also "missing_symbols".
[[nodiscard]] std::string which_json(const WhichReport& report);

struct WhichTextOptions {
  TextStyle style;
  bool quiet = false;    // paths of the chosen files alone
  bool verbose = false;  // everyone who needs a library
};
[[nodiscard]] std::string which_text(const WhichReport& report, const WhichTextOptions& options);

}  // namespace plumb

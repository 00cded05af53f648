// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestPlace = 400;  // of a path, in a message
constexpr std::size_t kMostErrors = 20;

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "print one JSON object (docs/json.md)");
  app.add_flag("-q,--quiet", options.quiet, "print the answer alone");
  app.add_flag("-v,--verbose", options.verbose, "print every detail, and paths whole");
}

std::optional<Host> host_of_root(const std::string& root) {
  if (root.empty()) {
    return this_host();
  }
  if (!is_folder(root)) {
    print_error({ErrorCode::usage, "no such folder", root, {}});
    return std::nullopt;
  }
  return mounted_host(root);
}

TextStyle style_of_stdout() {
  const TerminalTraits traits = terminal_traits(Stream::out);
  return {.colour = traits.colour, .unicode = traits.unicode, .columns = traits.columns};
}

void print_error(const Error& error) {
  std::string text = "error: ";
  if (!error.where.empty()) {
    text += shorten_middle(printable(error.where), kLongestPlace) + ": ";
  }
  text += printable(error.what) + "\n";
  if (!error.hints.empty()) {
    text += "\n";
    for (const std::string& hint : error.hints) {
      text += "hint: " + printable(hint) + "\n";
    }
  }
  write_stream(Stream::err, text);
}

void print_errors(const std::vector<Error>& errors, bool verbose) {
  const std::size_t shown = verbose ? errors.size() : std::min(errors.size(), kMostErrors);
  for (const Error& error : std::span(errors).first(shown)) {
    print_error(error);
  }
  if (shown < errors.size()) {
    write_stream(Stream::err, "and " + std::to_string(errors.size() - shown) +
                                  " more like these (--verbose shows all)\n");
  }
}

ExitCode print_report(std::string_view report, ExitCode code) {
  if (write_stream(Stream::out, report)) {
    return code;
  }
  print_error({ErrorCode::io, "the report could not be written to stdout", {}, {}});
  return ExitCode::incomplete;
}

}  // namespace plumb

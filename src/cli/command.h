// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every command shares. Each command lives in cmd_NAME.cc and offers one function that
// declares its options on the parser and returns what to run once they are parsed.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/catalog.h"
#include "judge/verdict.h"
#include "observe/host.h"
#include "os/terminal.h"
#include "report/text_style.h"

namespace CLI {
class App;
}

namespace plumb {

/// Options that all commands take.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

using Command = std::function<ExitCode()>;

/// Declares --json, --quiet and --verbose on a command.
void add_common_options(CLI::App& app, CommonOptions& options);

/// Each adds its subcommand to `app`; the result runs it and may be called only after parsing chose
/// it.
[[nodiscard]] Command add_inspect(CLI::App& app);
[[nodiscard]] Command add_check(CLI::App& app);
[[nodiscard]] Command add_which(CLI::App& app);
[[nodiscard]] Command add_snapshot(CLI::App& app);
[[nodiscard]] Command add_ask_driver(CLI::App& app);

/// `--gpu` values to cards: names by the catalog, or "X.Y". A wrong or ambiguous one prints the
/// question on stderr and gives nothing.
[[nodiscard]] std::optional<std::vector<Card>> parse_cards(const std::vector<std::string>& names);

/// --root's value to the machine to look at ("" = this one). A folder that is none prints the error
/// and gives nothing.
[[nodiscard]] std::optional<Host> host_of_root(const std::string& root);

/// What reports look like there; prepares the console.
[[nodiscard]] TextStyle style_of_stdout();

/// Prints "error: ..." and hints on stderr, cleaned of control characters.
void print_error(const Error& error);

/// Prints at most a screenful of them, all if `verbose`; then how many more there are.
void print_errors(const std::vector<Error>& errors, bool verbose);

/// Writes the report to stdout; gives `code` back, or ExitCode::incomplete (and says so) if it
/// could not be written: a full disk must not look like success.
[[nodiscard]] ExitCode print_report(std::string_view report, ExitCode code);

}  // namespace plumb

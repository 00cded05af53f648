// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <expected>
#include <memory>

#include "cli/command.h"
#include "cli/look.h"
#include "cli/snapshot_file.h"
#include "judge/check.h"
#include "report/check_json.h"
#include "report/check_text.h"

namespace plumb {
namespace {

struct CheckArguments {
  CommonOptions common;
  LookOptions look;
  std::string from;
  std::vector<std::string> cards;
};

ExitCode exit_code_of(const CheckReport& report) {
  const bool found = std::ranges::any_of(
      report.causes, [](const Finding& finding) { return finding.severity != Severity::note; });
  if (found) {
    return ExitCode::findings;
  }
  return report.complete ? ExitCode::clean : ExitCode::incomplete;
}

/// This machine, a mounted one, or one in a snapshot.
std::expected<Snapshot, ExitCode> look(const CheckArguments& arguments) {
  if (!arguments.from.empty()) {
    if (!arguments.look.root.empty() || !arguments.look.environment.empty()) {
      print_error(
          {ErrorCode::usage,
           "--from FILE is a whole machine with its environment; it goes with no --root and "
           "no --env",
           {},
           {}});
      return std::unexpected(ExitCode::usage);
    }
    auto snapshot = read_snapshot_file(arguments.from);
    if (!snapshot) {
      print_error(snapshot.error());
      return std::unexpected(ExitCode::incomplete);
    }
    return *std::move(snapshot);
  }
  auto snapshot = look_at_machine(arguments.look);
  if (!snapshot) {
    return std::unexpected(ExitCode::usage);
  }
  return *std::move(snapshot);
}

ExitCode run_check(const CheckArguments& arguments) {
  const auto cards = parse_cards(arguments.cards);
  if (!cards) {
    return ExitCode::usage;
  }
  const auto start = std::chrono::steady_clock::now();
  auto seen = look(arguments);
  if (!seen) {
    return seen.error();
  }
  const MachineFacts& machine = seen->machine;
  const Catalog& catalog = Catalog::builtin();
  const CheckReport report = judge_check(machine, {*cards}, catalog);
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);

  if (arguments.common.json) {
    return print_report(check_json(report, machine, catalog), exit_code_of(report));
  }
  CheckTextOptions text;
  text.style = style_of_stdout();
  text.quiet = arguments.common.quiet;
  text.verbose = arguments.common.verbose;
  text.how = arguments.from.empty()
                 ? "Read from files in " + std::to_string(elapsed.count()) +
                       (machine.driver_answers ? " ms; the driver was asked, nothing else was run."
                                               : " ms; nothing was run.")
                 : "From a snapshot of " + seen->taken + " by plumb " + seen->plumb + ".";
  text.root = machine.python ? machine.python.value->root : std::string{};
  const ExitCode code = print_report(check_text(report, text), exit_code_of(report));
  print_errors(machine.errors, arguments.common.verbose);
  return code;
}

}  // namespace

Command add_check(CLI::App& app) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check",
      "can the frameworks of this Python environment use the GPU? if not, which layer is out of "
      "line and what to do (also: plumb doctor)");
  command->alias("doctor");
  command
      ->add_option("--env", arguments->look.environment,
                   "the environment: its folder or its python; else the active one, a .venv here "
                   "or above, or that of python on PATH")
      ->type_name("PATH");
  command
      ->add_option("--gpu", arguments->cards,
                   "judge for this card instead of the machine's own: a name (\"RTX 4060 laptop\") "
                   "or a compute capability (8.9); may be repeated")
      ->type_name("CARD")
      ->allow_extra_args(false);
  command
      ->add_option("--root", arguments->look.root,
                   "look at the system mounted in this folder instead of the running one")
      ->type_name("FOLDER");
  add_deep_options(*command, arguments->look);
  command
      ->add_option("--from", arguments->from,
                   "judge the machine that `plumb snapshot` has kept in this file")
      ->type_name("FILE");
  add_common_options(*command, arguments->common);
  command->footer(
      "examples:\n"
      "  plumb check\n"
      "  plumb check --from machine.json\n"
      "  plumb check --env .venv --gpu \"RTX 5070\"\n"
      "\n"
      "exit code:\n"
      "  0   nothing is out of line\n"
      "  1   something is\n"
      "  2   the command line is wrong\n"
      "  3   something that the answer needs could not be read");
  return [arguments] { return run_check(*arguments); };
}

}  // namespace plumb

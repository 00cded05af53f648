// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/command.h"
#include "judge/check.h"
#include "observe/host.h"
#include "observe/machine.h"
#include "report/check_json.h"
#include "report/check_text.h"

namespace plumb {
namespace {

struct CheckArguments {
  CommonOptions common;
  std::string environment;
  std::string root;
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

ExitCode run_check(const CheckArguments& arguments) {
  const auto cards = parse_cards(arguments.cards);
  if (!cards) {
    return ExitCode::usage;
  }
  if (!arguments.root.empty() && !is_folder(arguments.root)) {
    print_error({ErrorCode::not_found, "no such folder", arguments.root, {}});
    return ExitCode::incomplete;
  }
  const auto start = std::chrono::steady_clock::now();
  const Host host = arguments.root.empty() ? this_host() : mounted_host(arguments.root);
  const MachineFacts machine = observe_machine(host, arguments.environment);
  const Catalog& catalog = Catalog::builtin();
  const CheckReport report = judge_check(machine, {*cards}, catalog);
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);

  if (arguments.common.json) {
    write_stream(Stream::out, check_json(report, machine, catalog));
  } else {
    const TerminalTraits traits = terminal_traits(Stream::out);
    CheckTextOptions text;
    text.style = {.colour = traits.colour, .unicode = traits.unicode, .columns = traits.columns};
    text.quiet = arguments.common.quiet;
    text.verbose = arguments.common.verbose;
    text.elapsed_ms = elapsed.count();
    text.root = machine.python ? machine.python.value->root : std::string{};
    write_stream(Stream::out, check_text(report, text));
    for (const Error& error : machine.errors) {
      print_error(error);
    }
  }
  return exit_code_of(report);
}

}  // namespace

Command add_check(CLI::App& app) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "whether the frameworks of a Python environment can use the GPU, layer by layer");
  command->alias("doctor");
  command->add_option("--env", arguments->environment,
                      "the environment: its folder or its python (default: the active one, a .venv "
                      "here or above, python on PATH)");
  command
      ->add_option("--gpu", arguments->cards,
                   "judge for this card instead of those of the machine: a name (\"2080 ti\") or a "
                   "compute capability (8.9); repeatable")
      ->allow_extra_args(false);
  command->add_option("--root", arguments->root,
                      "look at the system mounted in this folder instead of the running one");
  add_common_options(*command, arguments->common);
  return [arguments] { return run_check(*arguments); };
}

}  // namespace plumb

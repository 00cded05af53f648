// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/demangle.h"
#include "cli/command.h"
#include "cli/snapshot_file.h"
#include "observe/library_search.h"
#include "observe/snapshot_search.h"
#include "report/which_report.h"

namespace plumb {
namespace {

struct WhichArguments {
  CommonOptions common;
  LibraryQuestion question;
  std::string root;
  std::string from;
};

/// From files, or from a snapshot of them.
Result<LibraryAnswer> answer_to(const WhichArguments& arguments, const Host& host) {
  if (arguments.from.empty()) {
    return search_libraries(host, arguments.question);
  }
  PLUMB_ASSIGN(const Snapshot snapshot, read_snapshot_file(arguments.from));
  return search_snapshot(snapshot, arguments.question);
}

WhichReport report_of(LibraryAnswer answer, const LibraryQuestion& question) {
  WhichReport report;
  report.subject = std::move(answer.file);
  report.asked_all = question.all;
  report.results = std::move(answer.results);
  report.with_symbols = question.symbols;
  report.symbols_looked_up = answer.symbols.looked_up;
  for (const MissingSymbol& missing : answer.symbols.missing) {
    report.missing_symbols.push_back({missing.symbol, missing.version, missing.file,
                                      demangle(missing.symbol), missing.expected_in,
                                      missing.also_in, missing.whole_version});
  }
  report.failures = std::move(answer.failures);
  report.errors = std::move(answer.errors);
  return report;
}

ExitCode exit_code_of(const WhichReport& report) {
  const bool lost = std::ranges::any_of(report.results, [](const LibraryChoice& choice) {
    return !choice.found && !choice.optional && !choice.delayed;
  });
  if (lost || !report.missing_symbols.empty() || !report.failures.empty()) {
    return ExitCode::findings;
  }
  return report.errors.empty() ? ExitCode::clean : ExitCode::incomplete;
}

ExitCode run_which(const WhichArguments& arguments) {
  const LibraryQuestion& question = arguments.question;
  if (question.libraries.empty() && !question.all && question.file.empty()) {
    print_error({ErrorCode::usage,
                 "which library?",
                 {},
                 {"plumb which cudnn", "plumb which --all --for torch", "plumb which --of FILE"}});
    return ExitCode::usage;
  }
  if (!question.file.empty() && (question.all || !question.libraries.empty())) {
    print_error({ErrorCode::usage,
                 "--of FILE shows that file's tree; it goes with no LIB and no --all",
                 {},
                 {}});
    return ExitCode::usage;
  }
  if (!arguments.from.empty() && !(arguments.root.empty() && question.environment.empty())) {
    print_error(
        {ErrorCode::usage,
         "--from FILE is a whole machine with its environment; it goes with no --root and no "
         "--env",
         {},
         {}});
    return ExitCode::usage;
  }
  const auto host = host_of_root(arguments.root);
  if (!host) {
    return ExitCode::usage;
  }
  auto answer = answer_to(arguments, *host);
  if (!answer) {
    const Error error = std::move(answer).error().in(question.file);
    print_error(error);
    return error.code == ErrorCode::usage ? ExitCode::usage : ExitCode::incomplete;
  }
  const WhichReport report = report_of(*std::move(answer), question);
  const ExitCode code = exit_code_of(report);
  if (arguments.common.json) {
    return print_report(which_json(report), code);
  }
  WhichTextOptions text;
  text.style = style_of_stdout();
  text.quiet = arguments.common.quiet;
  text.verbose = arguments.common.verbose;
  const ExitCode printed = print_report(which_text(report, text), code);
  print_errors(report.errors, arguments.common.verbose);
  return printed;
}

}  // namespace

Command add_which(CLI::App& app) {
  const auto arguments = std::make_shared<WhichArguments>();
  CLI::App* command = app.add_subcommand(
      "which",
      "which file of a library is really loaded, by which rule, and which others lose; whether all "
      "symbols are there");
  command
      ->add_option("LIB", arguments->question.libraries,
                   "a library: cudnn, libcudnn.so.9, cudnn64_9.dll")
      ->type_name("");
  command
      ->add_option("--env", arguments->question.environment,
                   "the Python environment: its folder or its python; else as for `plumb check`")
      ->type_name("PATH");
  command
      ->add_option("--for", arguments->question.frameworks,
                   "as this framework or extension loads it: torch, paddle, jax ...; several are "
                   "imported into one process in this order")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_flag("--all", arguments->question.all,
                    "all CUDA libraries that the framework loads until it has computed");
  command
      ->add_option("--of", arguments->question.file,
                   "all that this program, library or extension module needs")
      ->type_name("FILE");
  command->add_flag(
      "--symbols", arguments->question.symbols,
      "look up every symbol as well: foretells \"undefined symbol\", \"version ... not "
      "found\" and Windows' error 127");
  command
      ->add_option("--root", arguments->root,
                   "look at the system mounted in this folder instead of the running one")
      ->type_name("FOLDER");
  command
      ->add_option("--from", arguments->from,
                   "answer for the machine that `plumb snapshot` has kept in this file")
      ->type_name("FILE");
  add_common_options(*command, arguments->common);
  command->footer(
      "examples:\n"
      "  plumb which cudnn --for torch\n"
      "  plumb which --all --for torch --env .venv\n"
      "  plumb which --of .venv/lib/python3.12/site-packages/torchvision/_C.so --env .venv "
      "--symbols\n"
      "\n"
      "exit code:\n"
      "  0   found\n"
      "  1   something is not found, or fails to load\n"
      "  2   the command line is wrong\n"
      "  3   something that the answer needs could not be read");
  return [arguments] { return run_which(*arguments); };
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/command.h"
#include "judge/inspection_judgement.h"
#include "observe/inspect.h"
#include "os/interrupt.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"

namespace plumb {
namespace {

struct InspectArguments {
  CommonOptions common;
  std::vector<std::string> paths;
  std::vector<std::string> cards;
  bool exports = false;
  bool verify = false;
  bool deep = false;
};

ExitCode exit_code_of(const JudgedInspection& judged) {
  if (interrupted()) {
    return ExitCode::interrupted;
  }
  if (!judged.inspection->errors.empty()) {
    return ExitCode::incomplete;
  }
  const auto is_served = [](const Verdict& verdict) {
    return verdict.result == VerdictResult::native || verdict.result == VerdictResult::jit;
  };
  const bool all_served = std::ranges::all_of(judged.files, [&](const JudgedFile& file) {
    // A package speaks for its members: a bundled library for other cards is no finding.
    const bool speaks = file.file->package || file.file->facts.archive.empty();
    return !speaks || !file.file->facts.gpu.has_kernels() ||
           std::ranges::all_of(file.verdicts, is_served);
  });
  return all_served ? ExitCode::clean : ExitCode::findings;
}

ExitCode run_inspect(const InspectArguments& arguments) {
  const auto cards = parse_cards(arguments.cards);
  if (!cards) {
    return ExitCode::usage;
  }
  watch_interrupts();
  const auto start = std::chrono::steady_clock::now();
  InspectOptions options;
  options.exports = arguments.exports ? ExportDetail::names : ExportDetail::count;
  options.search = arguments.deep ? GpuSearch::everywhere : GpuSearch::near;
  options.verify = arguments.verify;
  const Inspection inspection = inspect_paths(arguments.paths, options);
  const JudgedInspection judged = judge_inspection(inspection, *cards, Catalog::builtin());
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);

  if (arguments.common.json) {
    write_stream(Stream::out, inspect_json(judged, options.exports));
  } else {
    const TerminalTraits traits = terminal_traits(Stream::out);
    InspectTextOptions text;
    text.style = {.colour = traits.colour, .unicode = traits.unicode, .columns = traits.columns};
    text.quiet = arguments.common.quiet;
    text.verbose = arguments.common.verbose;
    text.exports = options.exports;
    text.elapsed_ms = elapsed.count();
    write_stream(Stream::out, inspect_text(judged, text));
    for (const InspectError& error : inspection.errors) {
      Error shown = error.error;
      shown.where = error.archive.empty() ? error.path : error.archive + ": " + error.path;
      print_error(shown);
    }
  }
  return exit_code_of(judged);
}

}  // namespace

Command add_inspect(CLI::App& app) {
  const auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "what a binary, wheel or folder really is: imports, GPU code, versions, the driver it needs");
  command->add_option("PATH", arguments->paths, "files, wheels or folders")->required();
  command
      ->add_option("--gpu", arguments->cards,
                   "say whether this card can run it: a name (\"2080 ti\") or a compute capability "
                   "(8.9); repeatable")
      ->allow_extra_args(false);
  command->add_flag("--exports", arguments->exports, "list exported symbols with their versions");
  command->add_flag("--verify", arguments->verify, "wheels: compare every member with RECORD");
  command->add_flag("--deep", arguments->deep,
                    "search all data for GPU code, not only where it usually lies");
  add_common_options(*command, arguments->common);
  return [arguments] { return run_inspect(*arguments); };
}

}  // namespace plumb

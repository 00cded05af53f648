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
  if (!judged.inspection->complete) {
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
  if (arguments.paths.empty()) {
    print_error({ErrorCode::usage,
                 "nothing to inspect: no file, package or folder is named",
                 {},
                 {"plumb inspect PATH...", "plumb inspect --help"}});
    return ExitCode::usage;
  }
  const auto cards = parse_cards(arguments.cards);
  if (!cards) {
    return ExitCode::usage;
  }
  watch_interrupts();
  const auto start = std::chrono::steady_clock::now();
  InspectOptions options;
  options.exports = arguments.exports ? ExportDetail::names : ExportDetail::count;
  options.search = arguments.deep ? GpuSearch::everywhere : GpuSearch::marked;
  options.verify = arguments.verify;
  const Inspection inspection = inspect_paths(arguments.paths, options);
  const JudgedInspection judged = judge_inspection(inspection, *cards, Catalog::builtin());
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);

  if (arguments.common.json) {
    return print_report(inspect_json(judged, options.exports), exit_code_of(judged));
  }
  InspectTextOptions text;
  text.style = style_of_stdout();
  text.quiet = arguments.common.quiet;
  text.verbose = arguments.common.verbose;
  text.exports = options.exports;
  text.elapsed_ms = elapsed.count();
  const ExitCode code = print_report(inspect_text(judged, text), exit_code_of(judged));
  std::vector<Error> errors;
  for (const InspectError& error : inspection.errors) {
    errors.push_back(error.error);
    errors.back().where = error.archive.empty() ? error.path : error.archive + ": " + error.path;
  }
  print_errors(errors, arguments.common.verbose);
  if (!inspection.complete) {
    print_error({ErrorCode::io, "interrupted; what is shown is not all", {}, {}});
  }
  return code;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  const auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "what a binary, package or folder really holds and needs: libraries, GPU code, versions, the "
      "driver; by reading, without running anything");
  command->add_option("PATH", arguments->paths,
                      "a binary (.so .dll .pyd .exe .a .o .fatbin .cubin .ptx), a package (.whl "
                      ".conda .tar.bz2), or a folder with such files");
  command
      ->add_option("--gpu", arguments->cards,
                   "can this card run it? a name (\"RTX 4060 laptop\") or a compute capability "
                   "(8.9); may be repeated")
      ->type_name("CARD")
      ->allow_extra_args(false);
  command->add_flag("--exports", arguments->exports, "list the exported symbols");
  command->add_flag("--verify", arguments->verify,
                    "wheels: compare size and SHA-256 of every member with RECORD");
  command->add_flag("--deep", arguments->deep,
                    "search all data for GPU code, not only where it usually lies");
  add_common_options(*command, arguments->common);
  command->footer(
      "examples:\n"
      "  plumb inspect --gpu \"2080 ti\" torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl\n"
      "  plumb inspect --json .venv/lib/python3.12/site-packages\n"
      "\n"
      "exit code:\n"
      "  0   all was read, and every --gpu can run all of it\n"
      "  1   a --gpu cannot run some of it\n"
      "  2   the command line is wrong\n"
      "  3   something could not be read; the rest is shown");
  return [arguments] { return run_inspect(*arguments); };
}

}  // namespace plumb

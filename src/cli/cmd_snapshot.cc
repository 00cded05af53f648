// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/look.h"
#include "cli/program_version.h"
#include "facts/json_text.h"
#include "facts/snapshot_json.h"
#include "os/environment.h"
#include "os/identity.h"
#include "os/write_file.h"
#include "report/redaction.h"

namespace plumb {
namespace {

struct SnapshotArguments {
  std::string output;
  LookOptions look;
  bool no_redact = false;
  bool quiet = false;
  bool schema = false;
};

/// "2026-12-01T16:20:05Z"
std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const auto days =
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::from_time_t(now));
  const std::chrono::year_month_day date{days};
  const std::chrono::hh_mm_ss time{
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::from_time_t(now) - days)};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return text.data();
}

ExitCode run_snapshot(const SnapshotArguments& arguments) {
  if (arguments.schema) {
    return print_report(snapshot_schema().dump(1) + "\n", ExitCode::clean);
  }
  LookOptions look = arguments.look;
  look.processes = true;
  auto seen = look_at_machine(look);
  if (!seen) {
    return ExitCode::usage;
  }
  Snapshot& snapshot = *seen;
  snapshot.plumb = program_version();
  snapshot.taken = utc_now();
  snapshot.redacted = !arguments.no_redact;
  Json json = snapshot_json(snapshot);
  std::size_t replaced = 0;
  if (!arguments.no_redact) {
    // Of a mounted system neither the user's name nor the host's is this one's; homes tell them.
    const KnownNames names =
        look.root.empty() ? KnownNames{user_name(), host_name(), home_folder()} : KnownNames{};
    replaced = redact(json, names);
  }
  const std::string text = json_text(json) + "\n";
  if (arguments.output.empty()) {
    return print_report(text, ExitCode::clean);
  }
  if (auto written = write_file(arguments.output, text); !written) {
    print_error(std::move(written).error().in(arguments.output));
    return ExitCode::incomplete;
  }
  if (arguments.quiet) {
    return ExitCode::clean;
  }
  const std::string what =
      arguments.no_redact
          ? "nothing is left out of it: names, addresses and secrets of this machine are in it"
          : "names, addresses, serial numbers and secrets are left out (" +
                std::to_string(replaced) + " places)";
  return print_report(
      "wrote " + printable(arguments.output) + ", " + human_bytes(text.size()) + "; " + what + "\n",
      ExitCode::clean);
}

}  // namespace

Command add_snapshot(CLI::App& app) {
  const auto arguments = std::make_shared<SnapshotArguments>();
  CLI::App* command = app.add_subcommand(
      "snapshot",
      "keep all that plumb sees of this machine in one file, fit to be shown to others; `plumb "
      "check --from FILE` judges it anywhere");
  command->add_option("-o,--output", arguments->output, "the file to write; else stdout")
      ->type_name("FILE");
  command
      ->add_option("--env", arguments->look.environment,
                   "the Python environment: its folder or its python; else as for `plumb check`")
      ->type_name("PATH");
  command
      ->add_option("--root", arguments->look.root,
                   "look at the system mounted in this folder instead of the running one")
      ->type_name("FOLDER");
  add_deep_options(*command, arguments->look);
  command->add_flag("--no-redact", arguments->no_redact,
                    "leave user names, addresses, serial numbers and secrets in");
  command->add_flag("--schema", arguments->schema,
                    "print the JSON Schema of such a file (docs/snapshot.md) and look at nothing");
  command->add_flag("-q,--quiet", arguments->quiet, "say nothing when all went well");
  command->footer(
      "examples:\n"
      "  plumb snapshot -o machine.json\n"
      "  plumb check --from machine.json\n"
      "  plumb which cudnn --for torch --from machine.json\n"
      "\n"
      "exit code:\n"
      "  0   written\n"
      "  2   the command line is wrong\n"
      "  3   the file could not be written");
  return [arguments] { return run_snapshot(*arguments); };
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The child that observe/driver_questions.h starts: loads a driver library, asks it all, and tells
// each step on stdout before the next. Not in the help: people ask `plumb check`.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#include "cli/command.h"
#include "observe/driver_questions.h"
#include "os/child_process.h"
#include "os/terminal.h"

namespace plumb {
namespace {

struct AskDriverArguments {
  std::string which;
  std::string library;
};

ExitCode run_ask_driver(const AskDriverArguments& arguments) {
  die_quietly();
  answer_as_child(
      this_host(), arguments.which == "nvml" ? DriverLibraryKind::nvml : DriverLibraryKind::cuda,
      arguments.library, [](std::string_view line) {
        if (!write_stream(Stream::out, line)) {
          std::_Exit(static_cast<int>(ExitCode::incomplete));  // nobody listens any more
        }
      });
  // Not by way of the libraries' own destructors, which are one more place to hang.
  std::_Exit(static_cast<int>(ExitCode::clean));
}

}  // namespace

Command add_ask_driver(CLI::App& app) {
  const auto arguments = std::make_shared<AskDriverArguments>();
  CLI::App* command = app.add_subcommand(
      "ask-driver",
      "asks NVML or the CUDA driver, in this process, and prints each answer as a line of JSON");
  command->group("");  // hidden
  command->add_option("which", arguments->which, "nvml or cuda")
      ->required()
      ->check(CLI::IsMember({"nvml", "cuda"}))
      ->type_name("");
  command
      ->add_option("--library", arguments->library,
                   "load this file, an absolute path, instead of the driver's own")
      ->type_name("FILE");
  return [arguments] { return run_ask_driver(*arguments); };
}

}  // namespace plumb

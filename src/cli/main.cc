// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>

#include "base/text.h"
#include "cli/command.h"
#include "cli/program_version.h"
#include "cli/usage.h"
#include "os/environment.h"
#include "os/terminal.h"

namespace plumb {
namespace {

int run(int argc, char** argv) {
  std::vector<std::string> arguments = command_line(argc, argv);
  const bool double_click = arguments.size() < 2 && owns_console();
  if (double_click) {
    arguments.emplace_back("check");
  }

  CLI::App app{
      "plumb says whether a GPU deep-learning environment fits together, layer by layer, and which "
      "layer is out of line",
      "plumb"};
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "print this help");
  bool version = false;
  app.add_flag("--version", version, "print the version");
  app.footer("`plumb COMMAND --help` tells a command's options, with examples");
  const std::vector<std::pair<std::string, Command>> commands = {
      {"check", add_check(app)},
      {"inspect", add_inspect(app)},
      {"which", add_which(app)},
      {"snapshot", add_snapshot(app)},
      {"ask-driver", add_ask_driver(app)}};
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return static_cast<int>(
        print_report(help_text(app, terminal_traits(Stream::out).columns), ExitCode::clean));
  } catch (const CLI::ParseError& error) {
    print_error(usage_error(error, app));
    return static_cast<int>(ExitCode::usage);
  }
  if (version) {
    return static_cast<int>(
        print_report("plumb " + std::string(program_version()) + "\n", ExitCode::clean));
  }
  for (const auto& [name, command] : commands) {
    if (app.got_subcommand(name)) {
      const ExitCode code = command();
      if (double_click) {
        write_stream(Stream::out,
                     "\nnext time: open a terminal in this folder and type  .\\plumb check\npress "
                     "a key to close\n");
        wait_for_key();
      }
      return static_cast<int>(code);
    }
  }
  write_stream(Stream::err, help_text(app, terminal_traits(Stream::err).columns));
  return static_cast<int>(ExitCode::usage);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  try {
    return plumb::run(argc, argv);
  } catch (const std::exception& error) {
    plumb::print_error(
        {plumb::ErrorCode::internal, std::string("a defect of plumb: ") + error.what(), {}, {}});
    return static_cast<int>(plumb::ExitCode::incomplete);
  }
}

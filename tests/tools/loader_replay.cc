// SPDX-License-Identifier: Apache-2.0
// Replays loader scenarios (tools/loader_scenario.py has the format) with LinuxProcess and prints
// what tests/tools/loader_driver.c prints when the real ld.so runs them. Each line of stdin is a
// request in JSON:
//
//   {"world": "/tmp/w1", "scenario": {...}}   the scenario, its files written already
//   {"trace": "/usr/bin/python3"}             the program's tree, as ldd has it
//   {"settings": true}                        what ld.so starts from on this machine
//
// Each answer ends with the line "end".

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loader/linux_process.h"
#include "observe/host.h"
#include "observe/linux_settings.h"
#include "observe/real_files.h"
#include "support/loader_scenario.h"

namespace plumb {
namespace {

using Json = nlohmann::json;

Host host_for(const Json& environment, std::string current_folder) {
  Host host = this_host();
  host.current_folder = std::move(current_folder);
  host.variable = [environment](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->get<std::string>());
  };
  return host;
}

/// As `ldd`: each library that came, then each name that led to nothing.
void print_trace(const std::string& program) {
  const Host host = host_for(Json::object(), "/");
  RealFiles files(host, "linux");
  std::vector<Error> errors;
  LinuxProcess process(files, observe_linux_settings(host, files, program, errors));
  const LinuxOpen started = process.start(program, LoadMode::trace);
  if (!started.object) {
    std::cout << "fail " << started.fault << '\n';
    return;
  }
  std::set<std::string> missing;
  for (const LinuxObject& object : process.objects()) {
    std::cout << "map " << object.path << '\n';
    for (const LinuxNeed& need : object.needs) {
      if (!need.object) {
        missing.insert(need.name);
      }
    }
  }
  for (const std::string& name : missing) {
    std::cout << "missing " << name << '\n';
  }
}

void print_settings() {
  const Host host = host_for(Json::object(), "/");
  RealFiles files(host, "linux");
  std::vector<Error> errors;
  const LinuxSettings settings = observe_linux_settings(host, files, "/bin/true", errors);
  const Json out = {{"machine", settings.machine},   {"default_folders", settings.default_folders},
                    {"hwcaps", settings.hwcaps},     {"lib", settings.lib},
                    {"platform", settings.platform}, {"loader", settings.loader}};
  std::cout << out.dump() << '\n';
}

void answer(const Json& request) {
  if (request.contains("trace")) {
    print_trace(request["trace"].get<std::string>());
  } else if (request.contains("settings")) {
    print_settings();
  } else {
    const Json& scenario = request.at("scenario");
    const std::string world = request.at("world").get<std::string>();
    const std::string folder = scenario.value("cwd", ".");
    const Host host = host_for(scenario.value("environment", Json::object()),
                               folder == "." ? world : world + "/" + folder);
    RealFiles files(host, "linux");
    std::vector<Error> errors;
    const std::string text = scenario.dump();
    const LinuxSettings settings =
        observe_linux_settings(host, files, test::scenario_program(text, world), errors);
    std::cout << test::replay_scenario(text, world, files, settings);
  }
}

}  // namespace
}  // namespace plumb

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      plumb::answer(nlohmann::json::parse(line));
      std::cout << "end" << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << "loader_replay: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

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

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"
#include "loader/linux_process.h"
#include "observe/host.h"
#include "observe/linux_settings.h"
#include "observe/real_files.h"

namespace plumb {
namespace {

using Json = nlohmann::json;

/// What the scenario says of a tiny library's file.
struct TinyLibrary {
  std::vector<std::string> uses;
  bool symbolic = false;
};

class Replay {
 public:
  Replay(const Host& host, std::string world, const Json& scenario)
      : world_(std::move(world)),
        files_(host, "linux"),
        process_(files_, observe_linux_settings(host, files_, program_of(scenario), errors_)) {
    for (const Json& file : scenario.value("files", Json::array())) {
      if (file.value("kind", "library") != "library" ||
          file.value("machine", "x86_64") != "x86_64") {
        continue;
      }
      const std::string identity =
          files_.entry(world_ + "/" + file.at("path").get<std::string>()).identity;
      tiny_[identity] = {file.value("uses", std::vector<std::string>{}),
                         file.value("symbolic", false)};
    }
  }

  void run(const Json& scenario) {
    const LinuxOpen started = process_.start(program_of(scenario), LoadMode::strict);
    for (const std::string& note : started.notes) {
      std::cout << "note " << note << '\n';
    }
    if (!started.object) {
      std::cout << "start fail " << started.fault << '\n';
      return;
    }
    std::cout << "start\n";
    print_state();
    int number = 0;
    for (const Json& step : scenario.value("steps", Json::array())) {
      std::cout << "step " << ++number << '\n';
      run_step(step);
      print_state();
    }
  }

 private:
  [[nodiscard]] std::string program_of(const Json& scenario) const {
    const Json program = scenario.value("program", Json::object());
    return world_ + "/" + program.value("run", program.value("path", "program"));
  }

  [[nodiscard]] std::optional<std::size_t> caller_of(const Json& step) {
    const std::string caller = step.value("caller", "");
    if (caller.empty()) {
      return 0;
    }
    const std::string identity = files_.entry(world_ + "/" + caller).identity;
    const auto& objects = process_.objects();
    const auto found = std::ranges::find(objects, identity, &LinuxObject::identity);
    if (identity.empty() || found == objects.end() || found == objects.begin()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(found - objects.begin());
  }

  void run_step(const Json& step) {
    const auto caller = caller_of(step);
    if (!caller) {
      std::cout << "no caller\n";
      return;
    }
    const std::string name = step.at("open").get<std::string>();
    if (name.empty()) {  // dlopen(NULL) is the program
      std::cout << "ok \n";
      return;
    }
    LinuxOpenOptions options;
    options.caller = *caller;
    for (const Json& flag : step.value("flags", Json::array())) {
      options.global |= flag == "global";
      options.no_load |= flag == "no_load";
      options.deep_bind |= flag == "deep_bind";
    }
    const LinuxOpen opened = process_.open(name, options);
    if (opened.object) {
      std::cout << "ok " << process_.objects()[*opened.object].path << '\n';
    } else {
      std::cout << "fail " << opened.fault << '\n';
    }
  }

  void print_state() {
    const auto& objects = process_.objects();
    for (const LinuxObject& object : objects) {
      std::cout << "map " << object.path << '\n';
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto tiny = tiny_.find(objects[i].identity);
      if (tiny == tiny_.end() || !bound_.insert(objects[i].identity).second) {
        continue;
      }
      for (const std::string& symbol : tiny->second.uses) {
        std::cout << "bind " << objects[i].path << ' ' << symbol << ' '
                  << owner_of(symbol, i, tiny->second.symbolic) << '\n';
      }
    }
  }

  /// The object that a lookup by object `from` finds.
  [[nodiscard]] std::string owner_of(const std::string& symbol, std::size_t from, bool symbolic) {
    const auto& objects = process_.objects();
    std::vector<std::size_t> order;
    if (symbolic && !objects[from].deep_bind) {  // ld.so: RTLD_DEEPBIND is enough
      order.push_back(from);
    }
    const auto add = [&](const std::vector<std::size_t>& list) {
      order.insert(order.end(), list.begin(), list.end());
    };
    if (!objects[from].deep_bind) {
      add(process_.global_scope());
    }
    for (const std::size_t scope : objects[from].scopes) {
      add(objects[scope].search_list);
    }
    if (objects[from].deep_bind) {
      add(process_.global_scope());
    }
    for (const std::size_t object : order) {
      if (defines(object, symbol)) {
        return objects[object].path;
      }
    }
    return "nothing";
  }

  [[nodiscard]] bool defines(std::size_t index, const std::string& symbol) {
    const LinuxObject& object = process_.objects()[index];
    if (object.elf == nullptr || !object.file.starts_with(world_)) {
      return false;  // nothing of the system has such symbols
    }
    const auto source = files_.open(object.file);
    if (!source) {
      return false;
    }
    const std::string_view names[] = {symbol};
    const auto hits = find_elf_symbols(**source, *object.elf, names);
    return hits && hits->front() && hits->front()->defined;
  }

  std::string world_;
  RealFiles files_;
  std::vector<Error> errors_;
  LinuxProcess process_;
  std::map<std::string, TinyLibrary> tiny_;  // by identity
  std::set<std::string> bound_;
};

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
    Replay(host, world, scenario).run(scenario);
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

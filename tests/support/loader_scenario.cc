// SPDX-License-Identifier: Apache-2.0
#include "support/loader_scenario.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "binary/elf.h"
#include "loader/linux_symbols.h"

namespace plumb::test {
namespace {

using Json = nlohmann::json;

std::string program_of(const Json& scenario, const std::string& world) {
  const Json program = scenario.value("program", Json::object());
  return world + "/" + program.value("run", program.value("path", "program"));
}

/// What the scenario says of a tiny library's file.
struct TinyLibrary {
  std::vector<std::string> uses;
  bool symbolic = false;
};

class Replay {
 public:
  Replay(FileView& files, const LinuxSettings& settings, std::string world, const Json& scenario)
      : world_(std::move(world)), files_(files), process_(files_, settings) {
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

  std::string run(const Json& scenario) {
    const LinuxOpen started = process_.start(program_of(scenario, world_), LoadMode::strict);
    for (const std::string& note : started.notes) {
      out_ << "note " << note << '\n';
    }
    if (!started.object) {
      out_ << "start fail " << started.fault << '\n';
      return out_.str();
    }
    if (lacks_symbols(started)) {
      out_ << "start fail undefined symbol\n";
      return out_.str();
    }
    out_ << "start\n";
    print_state();
    int number = 0;
    for (const Json& step : scenario.value("steps", Json::array())) {
      out_ << "step " << ++number << '\n';
      run_step(step);
      print_state();
    }
    return out_.str();
  }

 private:
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
      out_ << "no caller\n";
      return;
    }
    const std::string name = step.at("open").get<std::string>();
    if (name.empty()) {  // dlopen(NULL) is the program
      out_ << "ok \n";
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
    if (opened.object && lacks_symbols(opened)) {
      process_.undo(opened);
      out_ << "fail undefined symbol\n";
    } else if (opened.object) {
      out_ << "ok " << process_.objects()[*opened.object].path << '\n';
    } else {
      out_ << "fail " << opened.fault << '\n';
    }
  }

  [[nodiscard]] bool lacks_symbols(const LinuxOpen& opened) const {
    return !check_symbols(process_, opened.loaded).missing.empty();
  }

  void print_state() {
    const auto& objects = process_.objects();
    for (const LinuxObject& object : objects) {
      out_ << "map " << object.path << '\n';
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto tiny = tiny_.find(objects[i].identity);
      if (tiny == tiny_.end() || !bound_.insert(objects[i].identity).second) {
        continue;
      }
      for (const std::string& symbol : tiny->second.uses) {
        out_ << "bind " << objects[i].path << ' ' << symbol << ' '
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
  FileView& files_;
  LinuxProcess process_;
  std::map<std::string, TinyLibrary> tiny_;  // by identity
  std::set<std::string> bound_;
  std::ostringstream out_;
};

}  // namespace

std::string scenario_program(std::string_view scenario, const std::string& world) {
  return program_of(Json::parse(scenario), world);
}

std::string replay_scenario(std::string_view scenario, const std::string& world, FileView& files,
                            const LinuxSettings& settings) {
  const Json parsed = Json::parse(scenario);
  return Replay(files, settings, world, parsed).run(parsed);
}

}  // namespace plumb::test

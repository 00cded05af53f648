// SPDX-License-Identifier: Apache-2.0
// Replays the scripts of tests/tools/windows_loader_driver.c with WindowsProcess over a Windows
// that lies in a folder (a Wine prefix's drive_c), and prints what the driver prints there. Its
// stdin:
//
//   start PROGRAM|FOLDER|PATH    a new process, its current folder and its PATH
//   check DLL                    procedures that the last loaded DLL imports from DLL in vain
//   end                          prints "end"
//
// and the driver's commands between them.

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "loader/windows_symbols.h"
#include "observe/host.h"
#include "observe/real_files.h"

namespace plumb {
namespace {

class Replay {
 public:
  explicit Replay(Host host) : host_(std::move(host)) {}

  void answer(const std::string& line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string command = line.substr(0, blank);
    const std::string rest = line.substr(std::min(blank + 1, line.size()));
    if (command == "start") {
      start(rest);
    } else if (command == "end") {
      std::cout << "end" << std::endl;
    } else if (process_ != nullptr) {
      act(command, rest);
    }
  }

 private:
  static std::vector<std::string> elements(const std::string& path) {
    const auto parts = split(path, ';');
    return {parts.begin(), parts.end()};
  }

  void start(const std::string& rest) {
    const auto parts = split(rest, '|');
    files_ = std::make_unique<RealFiles>(host_, "windows");
    WindowsSettings settings;
    settings.windows_folder = "C:\\windows";
    settings.system_folder = "C:\\windows\\system32";
    settings.current_folder = parts[1];
    settings.path = elements(std::string(parts[2]));
    process_ = std::make_unique<WindowsProcess>(*files_, settings);
    const WindowsLoad started = process_->start(std::string(parts[0]), LoadMode::strict);
    if (!started.object) {
      std::cout << "start failed " << started.missing << '\n';
      process_.reset();
      return;
    }
    print_new(started);
  }

  void act(const std::string& command, const std::string& rest) {
    if (command == "path") {
      process_->set_path(elements(rest));
    } else if (command == "add") {
      process_->add_folder(rest);
    } else if (command == "set") {
      process_->set_folder(rest);
    } else if (command == "load") {
      const std::size_t blank = rest.find(' ');
      std::uint32_t flags = 0;
      std::from_chars(rest.data(), rest.data() + blank, flags, 16);
      last_ = process_->load(rest.substr(blank + 1), flags);
      if (last_.object) {
        std::cout << "loaded " << process_->objects()[*last_.object].file << '\n';
      } else {
        std::cout << "error " << last_.error << '\n';
      }
      print_new(last_);
    } else if (command == "check") {
      for (const MissingSymbol& symbol : check_procedures(*process_, last_.loaded).missing) {
        if (symbol.expected_in == rest) {
          std::cout << "missing " << symbol.symbol << '\n';
        }
      }
    }
  }

  void print_new(const WindowsLoad& load) {
    for (const std::size_t object : load.loaded) {
      std::cout << "new " << process_->objects()[object].file << '\n';
    }
  }

  Host host_;
  std::unique_ptr<RealFiles> files_;
  std::unique_ptr<WindowsProcess> process_;
  WindowsLoad last_;
};

}  // namespace
}  // namespace plumb

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: windows_loader_replay DRIVE_C < script\n";
    return 2;
  }
  plumb::Host host = plumb::mounted_host(arguments[1]);
  plumb::Replay replay(std::move(host));
  for (std::string line; std::getline(std::cin, line);) {
    replay.answer(line);
  }
  return 0;
}

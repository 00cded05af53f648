// SPDX-License-Identifier: Apache-2.0
#include "observe/python_commands.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "observe/host_paths.h"
#include "observe/python_program.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kTail = 64 << 10;
constexpr std::size_t kMostHidden = 32;

std::vector<std::string> places_on_path(const Host& host, const std::string& name) {
  std::vector<std::string> places;
  for (const std::string& folder : path_folders(host)) {
    if (may_be_slow(host, folder)) {
      continue;
    }
    const std::string path = join_path(folder, name);
    const auto status = file_status(path, Links::keep);
    if (status && status->kind != FileKind::missing && status->kind != FileKind::directory) {
      places.push_back(path);
    }
  }
  return places;
}

/// The environment that a python program belongs to: a venv's is a link to elsewhere and still
/// starts the venv.
std::string prefix_of_python(const Host& host, const std::string& program) {
  std::string prefix = prefix_of_program(program);
  if (is_file(join_path(prefix, "pyvenv.cfg")) || is_folder(join_path(prefix, "conda-meta"))) {
    return prefix;
  }
  return prefix_of_program(real_on_host(host, program));
}

Result<std::string> last_bytes(const std::string& path) {
  PLUMB_ASSIGN(auto file, open_file(path));
  const std::uint64_t length = std::min(file->size(), kTail);
  std::string text(static_cast<std::size_t>(length), '\0');
  PLUMB_TRY(file->read(file->size() - length, std::as_writable_bytes(std::span(text))));
  return text;
}

/// Of "/usr/bin/env python3" the python3 on PATH.
std::string through_env(const Host& host, const std::string& interpreter) {
  constexpr std::string_view kEnv = "env ";
  const std::size_t at = interpreter.rfind(kEnv);
  if (at == std::string::npos) {
    return path_on_host(host, interpreter);
  }
  const auto places = places_on_path(host, std::string(trim(interpreter.substr(at + kEnv.size()))));
  return places.empty() ? std::string{} : places.front();
}

void describe_python(const Host& host, PythonCommand& command) {
  const std::string folder = to_lower_ascii(file_name(parent_path(command.path)));
  if (folder == "shims" || folder == "windowsapps") {
    return;  // decides at each start
  }
  command.prefix = prefix_of_python(host, command.path);
  command.origin = command.path;
}

void describe_pip(const Host& host, PythonCommand& command) {
  if (file_name(parent_path(command.path)) == "shims") {
    return;
  }
  std::string interpreter;
  if (host.is_windows()) {
    const auto tail = last_bytes(command.path);
    interpreter = tail ? interpreter_of_launcher(*tail) : std::string{};
  } else {
    const auto text = read_text_start(command.path, 4096);
    interpreter = text ? interpreter_of_script(*text) : std::string{};
  }
  if (!interpreter.empty()) {
    const std::string program = through_env(host, interpreter);
    if (!program.empty()) {
      command.prefix = prefix_of_python(host, program);
      command.origin = command.path;
      return;
    }
  }
  const std::string prefix = prefix_of_program(command.path);
  if (host.is_windows() || is_file(join_path(prefix, "pyvenv.cfg"))) {
    command.prefix = prefix;
    command.origin = std::string(parent_path(command.path));
  }
}

}  // namespace

std::string interpreter_of_script(std::string_view text) {
  if (!text.starts_with("#!")) {
    return {};
  }
  const std::size_t end = text.find('\n');
  const std::string_view first =
      trim(text.substr(2, end == std::string_view::npos ? end : end - 2));
  const std::string_view program = first.substr(0, first.find_first_of(" \t"));
  if (!program.ends_with("/sh")) {
    return program.ends_with("/env") ? std::string(first) : std::string(program);
  }
  constexpr std::string_view kExec = "'''exec' ";
  const std::size_t at = text.find(kExec);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = text.substr(at + kExec.size());
  rest = rest.substr(0, rest.find('\n'));
  if (rest.starts_with('"')) {
    const std::size_t close = rest.find('"', 1);
    return close == std::string_view::npos ? std::string{} : std::string(rest.substr(1, close - 1));
  }
  return std::string(rest.substr(0, rest.find(' ')));
}

std::string interpreter_of_launcher(std::string_view tail) {
  const std::size_t archive = tail.rfind("PK\x05\x06");
  if (archive == std::string_view::npos) {
    return {};
  }
  // The archive's directory is not needed: the line is the last "#!" whose text ends in an
  // interpreter's name.
  for (std::size_t at = tail.rfind("#!", archive); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : tail.rfind("#!", at - 1)) {
    std::string_view line = tail.substr(at + 2, 2048);
    line = trim(line.substr(0, line.find_first_of("\r\n")));
    if (line.starts_with('"')) {
      line = line.substr(1, line.find('"', 1) - 1);
    }
    if (ends_with_nocase(line, "python.exe") || ends_with_nocase(line, "python3.exe") ||
        ends_with_nocase(line, "pythonw.exe")) {
      return std::string(line);
    }
  }
  return {};
}

std::vector<PythonCommand> observe_python_commands(const Host& host) {
  std::vector<PythonCommand> commands;
  for (const char* name : {"python", "python3", "pip", "pip3"}) {
    const std::string file = host.is_windows() ? std::string(name) + ".exe" : std::string(name);
    std::vector<std::string> places = places_on_path(host, file);
    if (places.empty()) {
      continue;
    }
    PythonCommand command;
    command.name = name;
    command.path = places.front();
    places.erase(places.begin());
    places.resize(std::min(places.size(), kMostHidden));
    command.hidden = std::move(places);
    if (command.name.starts_with("pip")) {
      describe_pip(host, command);
    } else {
      describe_python(host, command);
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

Fact<bool> compare_pip_with_python(const Host& host, const std::vector<PythonCommand>& commands) {
  const auto prefix_of = [&](std::string_view name, std::string_view second) {
    auto hit = std::ranges::find(commands, name, &PythonCommand::name);
    if (hit == commands.end()) {
      hit = std::ranges::find(commands, second, &PythonCommand::name);
    }
    if (hit == commands.end() || hit->prefix.empty()) {
      return std::string{};
    }
    const std::string real = real_path(hit->prefix);
    return host.is_windows() ? to_lower_ascii(real) : real;
  };
  const std::string python = prefix_of("python", "python3");
  const std::string pip = prefix_of("pip", "pip3");
  return python.empty() || pip.empty() ? Fact<bool>::absent("PATH")
                                       : Fact<bool>::present(python == pip, "PATH");
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "report/text_style.h"

namespace plumb {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 3;
constexpr std::size_t kWidest = 100;  // longer lines are hard to read, however wide the window

/// The command chosen on the command line, else the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : "plumb " + app.get_name();
}

struct Row {
  std::string label;
  std::string text;
};

std::string option_label(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  const std::string value = option.get_type_size() > 0 ? " " + option.get_type_name() : "";
  return join(names, ", ") + value;
}

std::vector<Row> rows_of(const CLI::App& app, bool positional) {
  std::vector<Row> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() == positional) {
      rows.push_back(
          {positional ? option->get_name(true) : option_label(*option), option->get_description()});
    }
  }
  return rows;
}

std::string block(const std::string& title, const std::vector<Row>& rows, std::size_t columns) {
  if (rows.empty()) {
    return {};
  }
  std::size_t width = 0;
  for (const Row& row : rows) {
    width = std::max(width, display_width(row.label));
  }
  TextStyle style;
  style.columns = columns;
  std::string out = "\n" + title + ":\n";
  for (const Row& row : rows) {
    out += labelled(row.label, row.text, kIndent, width + kGap, style);
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

/// The name that was most likely meant; empty if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kLongest = 40;  // nobody mistypes a long word into a short name
  std::string best;
  std::size_t least = kMost + 1;
  for (const std::string& name : names) {
    if (word.size() > kLongest) {
      break;
    }
    const std::size_t distance = edit_distance(word, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string in_backticks(const std::string& word) {
  constexpr std::size_t kLongest = 60;
  return "`" + shorten_middle(printable(word), kLongest) + "`";
}

Error unknown_option(const std::string& word, const CLI::App& command) {
  const std::string name = word.substr(0, word.find('='));
  if (command.get_option_no_throw(name) != nullptr) {  // plumb -q inspect
    return {ErrorCode::usage,
            in_backticks(name) + " must follow the command",
            {},
            {full_name(command) + " " + name}};
  }
  Error error{ErrorCode::usage, "unknown option " + in_backticks(name), {}, {}};
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      names.push_back("--" + known);
    }
  }
  if (const std::string closest = nearest(name, names); !closest.empty()) {
    error.hints.push_back("did you mean `" + closest + "`?");
  }
  return error;
}

Error unknown_word(const std::string& word, const CLI::App& command) {
  if (command.get_parent() != nullptr) {
    return {ErrorCode::usage,
            full_name(command) + " takes options alone, and " + in_backticks(word) + " is none",
            {},
            {}};
  }
  Error error{ErrorCode::usage, "unknown command " + in_backticks(word), {}, {}};
  std::vector<std::string> names;
  for (const CLI::App* known : command.get_subcommands(nullptr)) {
    if (known->get_group().empty()) {
      continue;  // hidden
    }
    names.push_back(known->get_name());
    const auto& aliases = known->get_aliases();
    names.insert(names.end(), aliases.begin(), aliases.end());
  }
  if (const std::string closest = nearest(word, names); !closest.empty()) {
    error.hints.push_back("did you mean `plumb " + closest + "`?");
  } else if (word.find_first_of("./\\") != std::string::npos) {
    error.hints.push_back("to look into a file: plumb inspect " + printable(word));
  }
  return error;
}

/// What the parser says otherwise: "--gpu: 1 required NAME missing", "Could not convert ...".
Error other_fault(const CLI::ParseError& fault) {
  std::string what = fault.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&fault) != nullptr && what.starts_with("--")) {
    const std::string name = what.substr(0, what.find_first_of(": "));
    const bool missing = what.find("missing") != std::string::npos;
    what = "`" + name + (missing ? "` needs a value" : "` may be given only once");
  } else if (!what.empty()) {
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  }
  return {ErrorCode::usage, what, {}, {}};
}

}  // namespace

std::string help_text(const CLI::App& app, std::size_t columns) {
  columns = std::min(columns, kWidest);
  const CLI::App& command = chosen(app);
  const bool program = command.get_parent() == nullptr;
  const std::vector<Row> positionals = rows_of(command, true);
  std::string usage = "usage: " + full_name(command) + (program ? " COMMAND" : "") + " [OPTIONS]";
  for (const Row& row : positionals) {
    usage += " " + row.label + "...";
  }
  std::string out;
  for (const std::string& line : wrap(command.get_description(), columns)) {
    out += line + "\n";
  }
  out += "\n" + usage + "\n";
  std::vector<Row> commands;
  for (const CLI::App* known : command.get_subcommands(nullptr)) {
    if (!known->get_group().empty()) {  // without a group it is hidden
      commands.push_back({known->get_name(), known->get_description()});
    }
  }
  out += block("commands", commands, columns);
  out += block("what to look at", positionals, columns);
  out += block("options", rows_of(command, false), columns);
  if (const std::string footer = command.get_footer(); !footer.empty()) {
    out += "\n" + footer + "\n";
  }
  return out;
}

Error usage_error(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& command = chosen(app);
  std::vector<std::string> extra;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    extra = app.remaining(true);
  }
  Error told = extra.empty()               ? other_fault(error)
               : extra[0].starts_with("-") ? unknown_option(extra[0], command)
                                           : unknown_word(extra[0], command);
  told.hints.push_back(full_name(command) + " --help");
  return told;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/modprobe_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

// A file hides those of its name in later folders.
constexpr std::array<const char*, 5> kFolders = {"/etc/modprobe.d", "/run/modprobe.d",
                                                 "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
                                                 "/lib/modprobe.d"};
constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kMostRules = 1000;
constexpr const char* kCommandLine = "/proc/cmdline";

std::string module_name(std::string_view word) {
  std::string name(word);
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_of_interest(std::string_view module) {
  return module == "nouveau" || module == "nova" || module == "nova_core" ||
         module.starts_with("nvidia");
}

/// The next word; blanks before it are skipped.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

void read_rule(std::string_view line, const std::string& path, std::uint32_t number,
               std::vector<ModuleRule>& rules) {
  const std::string_view command = take_word(line);
  const std::string module = module_name(take_word(line));
  const std::string text(trim(line));
  if (!is_of_interest(module) || rules.size() >= kMostRules) {
    return;
  }
  if (command == "blacklist") {
    rules.push_back({ModuleRuleKind::blacklist, module, text, path, number});
  } else if (command == "alias" && text == "off") {
    rules.push_back({ModuleRuleKind::alias_off, module, text, path, number});
  } else if (command == "install") {
    rules.push_back({ModuleRuleKind::install, module, text, path, number});
  } else if (command == "options") {
    rules.push_back({ModuleRuleKind::options, module, text, path, number});
  }
}

/// `install` runs a command in the module's place; these load nothing.
bool blocks(const ModuleRule& rule) {
  const std::string program = base_name(rule.text.substr(0, rule.text.find(' ')));
  return rule.kind == ModuleRuleKind::blacklist || rule.kind == ModuleRuleKind::alias_off ||
         (rule.kind == ModuleRuleKind::install && (program == "false" || program == "true"));
}

bool matters_on_command_line(std::string_view word) {
  constexpr std::array<std::string_view, 13> kWords = {"modprobe.blacklist=",
                                                       "module_blacklist=",
                                                       "rd.driver.blacklist=",
                                                       "nouveau.",
                                                       "nvidia",
                                                       "nova",
                                                       "module.sig_enforce",
                                                       "lockdown=",
                                                       "pci=",
                                                       "iommu",
                                                       "intel_iommu=",
                                                       "amd_iommu=",
                                                       "pcie_aspm"};
  return word == "nomodeset" || std::ranges::any_of(kWords, [&](std::string_view start) {
           return word.starts_with(start);
         });
}

bool blocks_on_command_line(std::string_view word, std::string_view module) {
  for (const std::string_view option :
       {"modprobe.blacklist=", "module_blacklist=", "rd.driver.blacklist="}) {
    if (word.starts_with(option)) {
      for (const std::string_view name : split(word.substr(option.size()), ',')) {
        if (module_name(name) == module) {
          return true;
        }
      }
    }
  }
  return word == std::string(module) + ".modeset=0" && module == "nouveau";
}

}  // namespace

std::vector<ModuleRule> parse_modprobe_file(std::string_view text, const std::string& path) {
  std::vector<ModuleRule> rules;
  std::string whole;  // a line with those that it goes on in
  std::uint32_t number = 0;
  std::uint32_t first = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (whole.empty()) {
      first = number;
    }
    if (line.ends_with('\\')) {
      whole.append(line.substr(0, line.size() - 1)).append(" ");
      continue;
    }
    whole.append(line);
    const std::string_view clean = trim(whole);
    if (!clean.empty() && clean.front() != '#') {
      read_rule(clean, path, first, rules);
    }
    whole.clear();
  }
  return rules;
}

ModuleRules observe_module_rules(const Host& host) {
  ModuleRules facts;
  std::set<std::string> names;
  for (const char* folder : kFolders) {
    for (const DirectoryEntry& entry : entries_of(host, folder)) {
      if (!entry.name.ends_with(".conf") || entry.kind == FileKind::directory ||
          names.size() >= kMostFiles || !names.insert(entry.name).second) {
        continue;
      }
      const std::string path = std::string(folder) + "/" + entry.name;
      const auto text = read_text_file(host.at(path));
      std::vector<ModuleRule> rules = parse_modprobe_file(text.value_or(""), path);
      std::ranges::move(rules, std::back_inserter(facts.rules));
    }
  }
  for (const ModuleRule& rule : facts.rules) {
    const bool no_modeset = rule.kind == ModuleRuleKind::options && rule.module == "nouveau" &&
                            rule.text.find("modeset=0") != std::string::npos;
    const std::string place = rule.file + ":" + std::to_string(rule.line);
    if (rule.module == "nouveau" && (blocks(rule) || no_modeset)) {
      facts.nouveau_blocked.push_back(place);
    } else if ((rule.module == "nvidia" || rule.module == "nvidia_current") && blocks(rule)) {
      facts.nvidia_blocked.push_back(place);
    }
  }
  const std::string command_line = read_text_file(host.at(kCommandLine), 64 << 10).value_or("");
  for (const std::string_view word : split(trim(command_line), ' ')) {
    if (!matters_on_command_line(word)) {
      continue;
    }
    facts.command_line.emplace_back(word);
    if (blocks_on_command_line(word, "nouveau")) {
      facts.nouveau_blocked.emplace_back(kCommandLine);
    }
    if (blocks_on_command_line(word, "nvidia")) {
      facts.nvidia_blocked.emplace_back(kCommandLine);
    }
  }
  return facts;
}

}  // namespace plumb

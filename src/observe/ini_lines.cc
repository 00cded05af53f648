// SPDX-License-Identifier: Apache-2.0
#include "observe/ini_lines.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSettings = 200;
constexpr std::size_t kLongestValue = 1024;

std::string value_of(std::string_view text) {
  text = trim(text);
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    const std::size_t end = text.find(text[0], 1);
    if (end != std::string_view::npos) {
      return std::string(text.substr(1, std::min(end - 1, kLongestValue)));
    }
  }
  // A comment begins the line or follows a blank: '#' may be part of a value.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '#' || text[i] == ';') &&
        (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      text = trim(text.substr(0, i));
      break;
    }
  }
  return std::string(text.substr(0, kLongestValue));
}

}  // namespace

std::vector<IniSetting> parse_ini_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  std::vector<IniSetting> settings;
  std::string section;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') {
      continue;
    }
    if (line[0] == '[') {
      const std::size_t end = line.find(']');
      section = end == std::string_view::npos ? std::string{}
                                              : to_lower_ascii(trim(line.substr(1, end - 1)));
      section.resize(std::min(section.size(), kLongestValue));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      continue;
    }
    if (settings.size() == kMostSettings) {
      break;
    }
    settings.push_back({section,
                        to_lower_ascii(trim(line.substr(0, std::min(equals, kLongestValue)))),
                        value_of(line.substr(equals + 1))});
  }
  return settings;
}

std::optional<std::string> find_setting(const std::vector<IniSetting>& settings,
                                        std::string_view section, std::string_view key) {
  std::optional<std::string> value;
  for (const IniSetting& setting : settings) {
    if (setting.section == section && setting.key == key) {
      value = setting.value;
    }
  }
  return value;
}

}  // namespace plumb

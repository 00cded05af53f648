// SPDX-License-Identifier: Apache-2.0
#pragma once
// How pip, uv and conda are set up: their configuration files and variables. Values hold no
// secrets: "user:password@" of an address is "***@", tokens, passwords and keys are "***".

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "facts/fields.h"

namespace plumb {

struct Setting {
  std::string key;    // pip: "global.index-url"; uv: "index[0].url", "pip.torch-backend"; conda:
                      // "channels"; a variable's name
  std::string value;  // lists: joined by blanks for pip, one setting each for uv and conda
};
void fields(auto& visit, Is<Setting> auto& x) {
  visit("key", x.key);
  visit("value", x.value);
}

enum class ConfiguredTool : std::uint8_t { pip, uv, conda };
constexpr auto enum_names(ConfiguredTool) {
  return std::to_array<std::string_view>({"pip", "uv", "conda"});
}

/// Whom a file concerns. Of one tool later levels win; for conda the order of the files says all.
enum class ConfigurationLevel : std::uint8_t { machine, user, environment, project, named };
constexpr auto enum_names(ConfigurationLevel) {
  return std::to_array<std::string_view>(
      {"machine", "user", "environment", "project", "named-by-variable"});
}

struct ConfigurationFile {
  ConfiguredTool tool = ConfiguredTool::pip;
  ConfigurationLevel level = ConfigurationLevel::machine;
  std::string path;
  std::vector<Setting> settings;
};
void fields(auto& visit, Is<ConfigurationFile> auto& x) {
  visit("tool", x.tool);
  visit("level", x.level);
  visit("path", x.path);
  visit("settings", x.settings);
}

struct PipConfiguration {
  std::vector<ConfigurationFile> files;   // in force; of one tool the later win
  std::vector<Setting> variables;         // PIP_*, UV_*, CONDA_*, which win over all files
  std::vector<std::string> unused_files;  // there, but passed over because of a variable or a
                                          // nearer file
  std::vector<Error> errors;              // a file that its tool cannot read either: "FILE:LINE"
};
void fields(auto& visit, Is<PipConfiguration> auto& x) {
  visit("files", x.files);
  visit("variables", x.variables);
  visit("unused_files", x.unused_files);
  visit("errors", x.errors);
}

}  // namespace plumb

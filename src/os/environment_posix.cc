// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace plumb {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kMachine = "aarch64";
#else
constexpr std::string_view kMachine = "x86_64";
#endif

}  // namespace

std::optional<std::string> get_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const std::size_t end = text.find('='); end != std::string_view::npos && end > 0) {
      names.emplace_back(text.substr(0, end));
    }
  }
  return names;
}

std::vector<std::string> split_path_list(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    parts.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(colon + 1);
  }
}

std::string user_language() {
  // The first of these that is set and not empty decides (POSIX, "Environment Variables", 8.2).
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    std::string locale = get_environment(name).value_or("");
    if (locale.empty()) {
      continue;
    }
    locale.resize(std::min(locale.find_first_of(".@"), locale.size()));
    if (locale == "C" || locale == "POSIX") {
      break;
    }
    std::ranges::replace(locale, '_', '-');
    return locale;
  }
  return "en";
}

std::string_view system_name() {
  return "linux";
}

std::string_view machine_name() {
  return kMachine;
}

std::string system_folder() {
  return {};
}

std::string home_folder() {
  return get_environment("HOME").value_or("");
}

std::vector<std::string> command_line(int argc, char** argv) {
  return {argv, argv + argc};
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/text_fact.h"

#include "base/text.h"

namespace plumb {

Fact<std::string> fact_of_line(const Host& host, const std::string& path) {
  return fact_of_file<std::string>(
      host, path, [](std::string_view text) -> std::optional<std::string> {
        text = trim(text.substr(0, text.find('\0')));
        return text.empty() ? std::nullopt : std::optional(std::string(text));
      });
}

Fact<std::string> fact_of_variable(const Host& host, const std::string& name) {
  auto value = host.set_variable(name);
  return value ? Fact<std::string>::present(*std::move(value), name)
               : Fact<std::string>::absent(name);
}

}  // namespace plumb

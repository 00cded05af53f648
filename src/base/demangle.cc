// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace plumb {
namespace {

// A name can be written so that its plain form is exponentially long; real ones are far shorter.
constexpr std::size_t kLongestMangled = 4096;
constexpr std::size_t kLongestPlain = 16384;

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) {
    return false;
  }
  for (const char c : text) {
    const bool good =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!good) {
      return false;
    }
  }
  return true;
}

/// Substitutions let a short name stand for one that doubles at each step.
bool is_harmless(std::string_view symbol) {
  std::size_t substitutions = 0;
  for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
    substitutions +=
        symbol[i] == 'S' && (symbol[i + 1] == '_' || (symbol[i + 1] >= '0' && symbol[i + 1] <= '9'))
            ? 1U
            : 0U;
  }
  return symbol.size() <= kLongestMangled && substitutions < 200;
}

std::string itanium(std::string_view symbol) {
  if (!is_harmless(symbol)) {
    return std::string(symbol);
  }
  int status = 0;
  const auto release = [](char* text) { std::free(text); };
  const std::unique_ptr<char, decltype(release)> plain(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), release);
  if (!plain || status != 0) {
    return std::string(symbol);
  }
  std::string text = plain.get();
  return text.size() > kLongestPlain ? std::string(symbol) : text;
}

/// "?name@inner@outer@@...": the parts stand from the inside out. "??0X@@" and "??1X@@" are X's
/// constructor and destructor.
std::string microsoft(std::string_view symbol) {
  std::string_view rest = symbol.substr(1);
  std::string special;
  if (rest.starts_with("?0") || rest.starts_with("?1")) {
    special = rest[1] == '1' ? "~" : "";
    rest.remove_prefix(2);
  }
  const bool of_class = rest.size() + 2 < symbol.size();
  std::vector<std::string_view> parts;
  while (!rest.starts_with('@')) {
    const std::size_t end = rest.find('@');
    if (end == std::string_view::npos || !is_identifier(rest.substr(0, end))) {
      return std::string(symbol);
    }
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (parts.empty()) {
    return std::string(symbol);
  }
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    name += name.empty() ? "" : "::";
    name += *part;
  }
  return of_class ? name + "::" + special + std::string(parts.front()) : name;
}

}  // namespace

std::string demangle(std::string_view symbol) {
  if (symbol.starts_with("_Z")) {
    return itanium(symbol);
  }
  return symbol.starts_with('?') ? microsoft(symbol) : std::string(symbol);
}

}  // namespace plumb

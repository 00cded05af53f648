// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_headers.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// Takes `word` off the front of `text`, if it stands there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) {
    return false;
  }
  text = without_blanks(text.substr(word.size()));
  return true;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  return parse_decimal(text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size())));
}

/// The number after "NAME OP" in a condition.
std::optional<std::uint64_t> compared_with(std::string_view line, std::string_view name,
                                           std::string_view op) {
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    std::string_view rest = without_blanks(line.substr(at + name.size()));
    if (take(rest, op)) {
      if (const auto number = leading_number(rest)) {  // "> =" is no number, so ">" is not ">="
        return number;
      }
    }
  }
  return std::nullopt;
}

/// Calls `see` with each line, without a final carriage return.
template <class See>
void each_line(std::string_view text, See see) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!see(without_blanks(line))) {
      return;
    }
  }
}

}  // namespace

std::optional<std::uint64_t> defined_number(std::string_view text, std::string_view name) {
  std::optional<std::uint64_t> number;
  each_line(text, [&](std::string_view line) {
    if (take(line, "#") && take(line, "define") && line.starts_with(name) &&
        line.size() > name.size() && kBlanks.find(line[name.size()]) != std::string_view::npos) {
      number = leading_number(without_blanks(line.substr(name.size())));
    }
    return !number;
  });
  return number;
}

std::optional<std::string> cuda_version_of_number(std::uint64_t number) {
  if (number < 1000 || number >= 100'000) {
    return std::nullopt;
  }
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::optional<std::string> three_part_version(std::string_view text, std::string_view major,
                                              std::string_view minor, std::string_view last) {
  const auto first = defined_number(text, major);
  if (!first) {
    return std::nullopt;
  }
  return std::to_string(*first) + "." + std::to_string(defined_number(text, minor).value_or(0)) +
         "." + std::to_string(defined_number(text, last).value_or(0));
}

HostCompilerLimits parse_host_config(std::string_view text) {
  HostCompilerLimits limits;
  each_line(text, [&limits](std::string_view line) {
    if (!take(line, "#") || !(take(line, "if") || take(line, "elif"))) {
      return true;
    }
    const auto least = compared_with(line, "_MSC_VER", "<");
    const auto below = compared_with(line, "_MSC_VER", ">=");
    if (least && below && limits.msc_below == 0) {
      limits.msc_least = *least;
      limits.msc_below = *below;
    }
    if (const auto most = compared_with(line, "__GNUC__", ">"); most && limits.gcc_most == 0) {
      limits.gcc_most = *most;
    }
    const bool other_clang = line.find("__GRCO_") != std::string_view::npos ||
                             line.find("__HORIZON__") != std::string_view::npos;
    if (const auto clang = compared_with(line, "__clang_major__", ">=");
        clang && !other_clang && limits.clang_below == 0) {
      limits.clang_below = *clang;
    }
    return true;
  });
  return limits;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/host_files.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSmallFile = 64 << 10;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes the run of digits (or of other bytes) at the front.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_digit(text.front());
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end]) == digits) {
    ++end;
  }
  const std::string_view run = text.substr(0, end);
  text.remove_prefix(end);
  return run;
}

}  // namespace

Fact<std::string> line_fact(const Host& host, const std::string& path) {
  const auto text = read_text_file(host.at(path), kSmallFile);
  if (!text) {
    return fact_of_error<std::string>(text.error(), path);
  }
  return Fact<std::string>::present(
      std::string(trim(std::string_view(*text).substr(0, text->find('\n')))), path);
}

Fact<std::uint64_t> number_fact(const Host& host, const std::string& path) {
  const Fact<std::string> line = line_fact(host, path);
  if (!line) {
    return without_value<std::uint64_t>(line);
  }
  const auto number = parse_decimal(*line.value);
  return number ? Fact<std::uint64_t>::present(*number, path)
                : Fact<std::uint64_t>::unreadable(
                      {ErrorCode::malformed, "is no number: " + printable(*line.value), path, {}},
                      path);
}

std::vector<DirectoryEntry> entries_of(const Host& host, const std::string& folder) {
  auto entries = list_directory(host.at(folder));
  return entries ? *std::move(entries) : std::vector<DirectoryEntry>{};
}

bool exists(const Host& host, const std::string& path) {
  const auto status = file_status(host.at(path));
  return status && status->kind != FileKind::missing;
}

Fact<bool> existence_fact(const Host& host, const std::string& path) {
  const auto status = file_status(host.at(path));
  return status ? Fact<bool>::present(status->kind != FileKind::missing, path)
                : Fact<bool>::unreadable(status.error(), path);
}

bool natural_less(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    std::string_view a = take_run(left);
    std::string_view b = take_run(right);
    if (is_digit(a.front()) && is_digit(b.front())) {
      a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
      b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
      if (a.size() != b.size()) {
        return a.size() < b.size();
      }
    }
    if (a != b) {
      return a < b;
    }
  }
  return left.empty() && !right.empty();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of the tests folder as bytes, and bytes written as hex. Inline: only test programs know
// where that folder lies.

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace plumb::test {

[[nodiscard]] inline std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A whole file, `path` below tests/.
[[nodiscard]] inline std::vector<std::byte> read_test_file(const std::string& path) {
  std::ifstream file(std::string(PLUMB_TESTS_DIR) + "/" + path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot open tests/" + path);
  }
  return bytes_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// "28 b5 2f" -> 3 bytes; blanks are skipped.
[[nodiscard]] inline std::vector<std::byte> from_hex(std::string_view hex) {
  std::string digits;
  std::vector<std::byte> bytes;
  for (const char digit : hex) {
    if (digit != ' ') {
      digits += digit;
    }
    if (digits.size() == 2) {
      bytes.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
      digits.clear();
    }
  }
  return bytes;
}

}  // namespace plumb::test

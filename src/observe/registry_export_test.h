// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as `reg export` writes those that are neither plain text nor numbers.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::test {

/// hex(7) of ASCII texts.
inline std::string exported_list(const std::vector<std::string>& texts) {
  std::string bytes;
  const auto put = [&bytes](char c) {
    char text[8];
    std::snprintf(text, sizeof text, "%02x,00,", static_cast<unsigned>(c) & 0xffU);
    bytes += text;
  };
  for (const std::string& text : texts) {
    for (const char c : text) {
      put(c);
    }
    put('\0');
  }
  return "hex(7):" + bytes + "00,00";
}

}  // namespace plumb::test

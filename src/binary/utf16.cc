// SPDX-License-Identifier: Apache-2.0
#include "binary/utf16.h"

namespace plumb {
namespace {

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0U | (code_point >> 6));
    put(0x80U | (code_point & 0x3fU));
  } else if (code_point < 0x10000) {
    put(0xe0U | (code_point >> 12));
    put(0x80U | ((code_point >> 6) & 0x3fU));
    put(0x80U | (code_point & 0x3fU));
  } else {
    put(0xf0U | (code_point >> 18));
    put(0x80U | ((code_point >> 12) & 0x3fU));
    put(0x80U | ((code_point >> 6) & 0x3fU));
    put(0x80U | (code_point & 0x3fU));
  }
}

}  // namespace

std::string utf8_from_utf16(Bytes text) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const auto is_high = [](std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; };
  const auto is_low = [](std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; };
  std::string out;
  const std::size_t count = text.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t unit = load_le<std::uint16_t>(text, 2 * i);
    const std::uint32_t next = i + 1 < count ? load_le<std::uint16_t>(text, 2 * (i + 1)) : 0U;
    if (is_high(unit) && is_low(next)) {
      append_utf8(0x10000U + ((unit - 0xd800U) << 10) + (next - 0xdc00U), out);
      ++i;
    } else {
      append_utf8(is_high(unit) || is_low(unit) ? kReplacement : unit, out);
    }
  }
  return out;
}

}  // namespace plumb

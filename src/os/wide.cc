// SPDX-License-Identifier: Apache-2.0
#include "os/wide.h"

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

constexpr bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}
constexpr bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

// Takes one character off the front of `text`. Unlike base/text.h's idea of UTF-8, surrogates are
// let through.
std::uint32_t take_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  std::uint32_t point = length == 1 ? first : first & (0x7fU >> length);
  bool good = length > 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xc0U) == 0x80;
    point = (point << 6U) | (byte(i) & 0x3fU);
  }
  good = good && !(length == 3 && point < 0x800) &&
         !(length == 4 && (point < 0x10000 || point > 0x10ffff));
  text.remove_prefix(good ? length : 1);
  return good ? point : kReplacement;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  const auto put_tail = [&](unsigned shift) { put(0x80U | ((point >> shift) & 0x3fU)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0U | (point >> 6U));
    put_tail(0);
  } else if (point < 0x10000) {
    put(0xe0U | (point >> 12U));
    put_tail(6);
    put_tail(0);
  } else {
    put(0xf0U | (point >> 18U));
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

}  // namespace

std::wstring to_wide(std::string_view text) {
  std::wstring wide;
  wide.reserve(text.size());
  while (!text.empty()) {
    const std::uint32_t point = take_point(text);
    if (point < 0x10000) {
      wide += static_cast<wchar_t>(point);
    } else {
      wide += static_cast<wchar_t>(0xd800 + ((point - 0x10000) >> 10U));
      wide += static_cast<wchar_t>(0xdc00 + ((point - 0x10000) & 0x3ffU));
    }
  }
  return wide;
}

std::string from_wide(std::wstring_view wide) {
  std::string text;
  text.reserve(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    std::uint32_t point = static_cast<std::uint32_t>(wide[i]) & 0xffffU;
    if (is_high_surrogate(point) && i + 1 < wide.size()) {
      const std::uint32_t next = static_cast<std::uint32_t>(wide[i + 1]) & 0xffffU;
      if (is_low_surrogate(next)) {
        point = 0x10000 + ((point - 0xd800) << 10U) + (next - 0xdc00);
        ++i;
      }
    }
    append_utf8(text, point);
  }
  return text;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace plumb {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Characters that a terminal or a browser obeys instead of showing: they could move the cursor,
// turn the reading direction or hide a part of a name. The zero-width joiners (200C, 200D) stay:
// real words need them.
constexpr auto kObeyed = std::to_array<Range>({
    {0x0000, 0x001f},    // C0
    {0x007f, 0x009f},    // DEL, C1
    {0x061c, 0x061c},    // Arabic letter mark
    {0x200b, 0x200b},    // zero-width space
    {0x200e, 0x200f},    // left-to-right and right-to-left marks
    {0x2028, 0x202e},    // line and paragraph separators, bidi embeddings and overrides
    {0x2060, 0x206f},    // word joiner, bidi isolates, deprecated format characters
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xfffe, 0xffff},    // no characters
    {0xe0000, 0xe007f},  // tags: invisible letters
});

// East_Asian_Width W and F (Unicode 15), neighbours merged across unassigned characters.
constexpr auto kWide = std::to_array<Range>({
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x1b2ff}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
    {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
    {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
    {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567},
    {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6ff}, {0x1f7e0, 0x1f7ff}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
});

// Marks drawn onto the character before, and characters without a width, of the scripts that file
// names and messages are written in; in others a column may be off.
constexpr auto kZeroWidth = std::to_array<Range>({
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf},   {0x05c1, 0x05c2},
    {0x05c4, 0x05c5}, {0x05c7, 0x05c7}, {0x0610, 0x061a}, {0x064b, 0x065f},   {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x06e7, 0x06e8}, {0x06ea, 0x06ed},   {0x0900, 0x0902},
    {0x093a, 0x093a}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d},   {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1160, 0x11ff}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},
    {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20f0},   {0x302a, 0x302d},
    {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
});

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t point) {
  const auto found = std::ranges::lower_bound(ranges, point, {}, &Range::last);
  return found != ranges.end() && point >= found->first;
}

struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;  // 0: the first byte belongs to no well-formed character
};

// Table 3-7 of the Unicode standard: the second byte's range depends on the first, which rules out
// overlong forms, surrogates and values above 10FFFF.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  if (first < 0xc2 || first > 0xf4) {
    return {};
  }
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) {
    return {};
  }
  const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) {
    return {};
  }
  char32_t point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return {};
    }
    point = (point << 6U) | (byte(i) & 0x3fU);
  }
  return {point, length};
}

// A byte outside well-formed UTF-8 counts as one column, so that a name cleaned or not stays inside
// its column.
std::size_t width_of(const Decoded& decoded) {
  if (decoded.length == 0 || decoded.point < 0x300) {
    return 1;
  }
  if (within(kZeroWidth, decoded.point)) {
    return 0;
  }
  return within(kWide, decoded.point) ? 2 : 1;
}

bool plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void append_hex(std::string& out, std::uint32_t value, std::size_t digits) {
  std::array<char, 8> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16).ptr;
  const auto length = static_cast<std::size_t>(end - buffer.data());
  out.append(digits > length ? digits - length : 0, '0');
  out.append(buffer.data(), length);
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = decode(text).length;
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  if (plain_ascii(text)) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    const std::size_t length = std::max<std::size_t>(decoded.length, 1);
    if (decoded.length > 0 && !within(kObeyed, decoded.point)) {
      out.append(text.substr(0, length));
    } else if (decoded.length > 1) {
      out += "\\u{";
      append_hex(out, static_cast<std::uint32_t>(decoded.point), 4);
      out += '}';
    } else {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    width += width_of(decoded);
    text.remove_prefix(std::max<std::size_t>(decoded.length, 1));
  }
  return width;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of("/\\") + 1));
}

std::string shorten_middle(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width <= columns) {
    return std::string(text);
  }
  if (columns == 0) {
    return {};
  }
  // The end of a path says more than its beginning, so the odd column goes there.
  const std::size_t head_columns = (columns - 1) / 2;
  const std::size_t tail_columns = columns - 1 - head_columns;
  std::size_t head = 0;            // bytes kept in front
  std::size_t tail = text.size();  // where the kept end begins
  std::size_t before = 0;          // columns before the character at `i`
  for (std::size_t i = 0; i < text.size();) {
    const Decoded decoded = decode(text.substr(i));
    const std::size_t length = std::max<std::size_t>(decoded.length, 1);
    const std::size_t columns_here = width_of(decoded);
    if (before + columns_here <= head_columns) {
      head = i + length;
    }
    // Never begin with a mark whose letter was cut off.
    if (columns_here > 0 && width - before <= tail_columns) {
      tail = i;
      break;
    }
    before += columns_here;
    i += length;
  }
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  std::string out(text);
  out.append(columns > width ? columns - width : 0, ' ');
  return out;
}

std::string to_lower_ascii(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += i == 0 ? std::string_view{} : separator;
    out += parts[i];
  }
  return out;
}

bool ends_with_nocase(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         std::ranges::equal(text.substr(text.size() - suffix.size()), suffix, {}, lower, lower);
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  }
  constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  std::uint64_t unit = 1000;
  std::size_t index = 0;
  // 999,950 is 1,000.0 kB once rounded, so it belongs to the next unit already.
  while (index + 1 < kUnits.size() && bytes >= unit * 1000 - unit / 20) {
    unit *= 1000;
    ++index;
  }
  const std::uint64_t tenth = unit / 10;
  const std::uint64_t tenths = bytes / tenth + (bytes % tenth >= tenth / 2 ? 1 : 0);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " +
         std::string(kUnits[index]);
}

}  // namespace plumb

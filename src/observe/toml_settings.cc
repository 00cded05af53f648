// SPDX-License-Identifier: Apache-2.0
#include "observe/toml_settings.h"

#if __has_include(<toml++/toml.h>)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSettings = 500;
constexpr int kDeepest = 6;

constexpr std::string_view kHex = "0123456789abcdef";

/// Bytes past ASCII, and '~', as "~e4": toml++ 3.3 runs into code that it calls unreachable for
/// some letters (is_non_ascii_horizontal_whitespace). TOML allows both in strings and comments
/// only.
std::string to_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && c != '~') {
      ascii += c;
    } else {
      ascii += '~';
      ascii += kHex[byte >> 4U];
      ascii += kHex[byte & 15U];
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view ascii) {
  std::string text;
  for (std::size_t i = 0; i < ascii.size(); ++i) {
    if (ascii[i] == '~' && i + 2 < ascii.size()) {
      text += static_cast<char>(kHex.find(ascii[i + 1]) << 4U | kHex.find(ascii[i + 2]));
      i += 2;
    } else {
      text += ascii[i];
    }
  }
  return text;
}

struct Pending {
  std::string key;
  const toml::node* node;
  int depth;
};

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return from_ascii(text->get());
  }
  if (const auto* flag = node.as_boolean()) {
    return flag->get() ? "true" : "false";
  }
  if (const auto* number = node.as_integer()) {
    return std::to_string(number->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return std::to_string(number->get());
  }
  return {};  // dates say nothing here
}

/// The parts of a table or array, in reverse, so that a stack gives them in order.
void push_parts(const Pending& pending, std::vector<Pending>& stack) {
  const std::size_t first = stack.size();
  const std::string dot = pending.key.empty() ? "" : pending.key + ".";
  if (const toml::table* table = pending.node->as_table()) {
    for (const auto& [key, node] : *table) {
      stack.push_back({dot + from_ascii(key.str()), &node, pending.depth + 1});
    }
  } else if (const toml::array* array = pending.node->as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      stack.push_back(
          {pending.key + "[" + std::to_string(i) + "]", array->get(i), pending.depth + 1});
    }
  }
  std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
}

}  // namespace

Result<std::vector<Setting>> flatten_toml(std::string_view text, const std::string& path,
                                          std::string_view under) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  if (!is_utf8(text)) {
    return std::unexpected(Error{ErrorCode::malformed, "is not UTF-8", path, {}});
  }
  const toml::parse_result parsed = toml::parse(to_ascii(text));
  if (!parsed) {
    Error error{ErrorCode::malformed,
                from_ascii(parsed.error().description()),
                path + ":" + std::to_string(parsed.error().source().begin.line),
                {}};
    return std::unexpected(std::move(error));
  }
  const toml::node* start = &parsed.table();
  if (!under.empty()) {
    start = std::as_const(parsed.table()).at_path(under).node();
  }
  std::vector<Setting> settings;
  if (start == nullptr || !start->is_table()) {
    return settings;
  }
  std::vector<Pending> stack = {{"", start, 0}};
  while (!stack.empty() && settings.size() < kMostSettings) {
    const Pending pending = std::move(stack.back());
    stack.pop_back();
    if (!pending.node->is_table() && !pending.node->is_array()) {
      settings.push_back({pending.key, text_of(*pending.node)});
    } else if (pending.depth < kDeepest) {
      push_parts(pending, stack);
    }
  }
  return settings;
}

}  // namespace plumb
#else

namespace plumb {

Result<std::vector<Setting>> flatten_toml(std::string_view /*text*/, const std::string& path,
                                          std::string_view /*under*/) {
  return std::unexpected(
      Error{ErrorCode::unsupported, "this plumb was built without a reader for TOML", path, {}});
}

}  // namespace plumb
#endif

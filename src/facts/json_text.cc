// SPDX-License-Identifier: Apache-2.0
#include "facts/json_text.h"

#include <array>
#include <charconv>

namespace plumb {
namespace {

class TextWriter {
 public:
  void write(const Json& json, std::size_t depth) {
    switch (json.type()) {
      case Json::value_t::object:
        write_object(json.get_ref<const Json::object_t&>(), depth);
        break;
      case Json::value_t::array:
        write_array(json.get_ref<const Json::array_t&>(), depth);
        break;
      case Json::value_t::string:
        write_string(json.get_ref<const std::string&>());
        break;
      case Json::value_t::boolean:
        out += json.get<bool>() ? "true" : "false";
        break;
      case Json::value_t::number_unsigned:
        write_number(json.get<std::uint64_t>());
        break;
      case Json::value_t::number_integer:
        write_number(json.get<std::int64_t>());
        break;
      default:
        out += json.dump();  // null, fractions
    }
  }

  std::string out;

 private:
  void new_line(std::size_t depth) {
    out += '\n';
    out.append(depth, ' ');
  }

  void write_object(const Json::object_t& object, std::size_t depth) {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : object) {
      out += first ? "" : ",";
      first = false;
      new_line(depth + 1);
      write_string(key);
      out += ": ";
      write(value, depth + 1);
    }
    if (!first) {
      new_line(depth);
    }
    out += '}';
  }

  void write_array(const Json::array_t& array, std::size_t depth) {
    out += '[';
    bool first = true;
    for (const Json& value : array) {
      out += first ? "" : ",";
      first = false;
      new_line(depth + 1);
      write(value, depth + 1);
    }
    if (!first) {
      new_line(depth);
    }
    out += ']';
  }

  void write_string(const std::string& text) {
    out += '"';
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte >= 0x20 && byte != '"' && byte != '\\') {
        continue;
      }
      out.append(text, copied, i - copied);
      copied = i + 1;
      write_escape(byte);
    }
    out.append(text, copied, std::string::npos);
    out += '"';
  }

  void write_escape(unsigned char byte) {
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        constexpr std::string_view kDigits = "0123456789abcdef";
        out += "\\u00";
        out += kDigits[byte >> 4];
        out += kDigits[byte & 0xf];
    }
  }

  template <class Number>
  void write_number(Number number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
  }
};

}  // namespace

std::string json_text(const Json& json) {
  TextWriter writer;
  writer.write(json, 0);
  return std::move(writer.out);
}

}  // namespace plumb

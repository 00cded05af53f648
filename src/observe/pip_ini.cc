// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "observe/pip_configuration.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSettings = 2000;

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) {}

  void line(std::string_view raw) {
    ++number_;
    const std::string_view text = trim(raw);
    if (text.empty() || text.starts_with('#') || text.starts_with(';')) {
      return;
    }
    const std::size_t indent = raw.find_first_not_of(" \t");
    if (open_ && indent > key_indent_) {
      std::string& value = out_.settings.back().value;
      value += value.empty() ? "" : " ";
      value += text;
      return;
    }
    open_ = false;
    if (text.starts_with('[') && text.rfind(']') != std::string_view::npos && text.size() > 2) {
      section_ = text.substr(1, text.rfind(']') - 1);
      if (!sections_.insert(section_).second) {
        fault("opens section [" + printable(section_) + "] a second time");
      }
      return;
    }
    if (section_.empty()) {
      fault("stands before any [section]");
      return;
    }
    const std::size_t delimiter = text.find_first_of("=:");
    if (delimiter == std::string_view::npos || delimiter == 0) {
      fault("is not KEY = VALUE");
      return;
    }
    std::string key = to_lower_ascii(trim(text.substr(0, delimiter)));
    std::ranges::replace(key, '_', '-');
    while (key.starts_with('-')) {
      key.erase(0, 1);
    }
    key = section_ + "." + key;
    if (!keys_.insert(key).second) {
      fault("names " + printable(key) + " a second time");
    }
    if (out_.settings.size() < kMostSettings) {
      out_.settings.push_back({std::move(key), std::string(trim(text.substr(delimiter + 1)))});
      open_ = true;
      key_indent_ = indent;
    }
  }

  void fault(std::string what) {
    if (out_.errors.empty()) {
      out_.errors.push_back({ErrorCode::malformed,
                             std::move(what),
                             path_ + ":" + std::to_string(std::max<std::size_t>(number_, 1)),
                             {}});
    }
  }

  [[nodiscard]] IniFile take() { return std::move(out_); }

 private:
  const std::string& path_;
  IniFile out_;
  std::string section_;
  std::set<std::string> sections_;
  std::set<std::string> keys_;
  std::size_t number_ = 0;
  std::size_t key_indent_ = 0;
  bool open_ = false;  // the last setting goes on in indented lines
};

}  // namespace

IniFile parse_pip_ini(std::string_view text, const std::string& path) {
  Parser parser(path);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      text.find('\0') != std::string_view::npos) {
    parser.fault("is UTF-16, which pip does not read");
    return parser.take();
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    parser.fault("begins with a byte order mark, so pip finds no [section] in it");
    text.remove_prefix(3);
  }
  for (const std::string_view line : split(text, '\n')) {
    parser.line(line);
  }
  return parser.take();
}

}  // namespace plumb

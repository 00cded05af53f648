// SPDX-License-Identifier: Apache-2.0
#include "report/redaction_shapes.h"

#include <algorithm>
#include <array>

#include "base/secrets.h"
#include "base/text.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 14> kTokenStarts = {
    "hf_",    "ghp_",  "gho_",  "ghs_",  "ghu_", "ghr_", "github_pat_",
    "glpat-", "pypi-", "xoxb-", "xoxp-", "sk-",  "npm_", "AKIA"};
constexpr std::size_t kShortestToken = 12;  // after its start

bool ends_url(char c) {
  return c == ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '\n' || c == '\t' ||
         c == '|' || c == ')' || c == ',' || c == ';' || c == '\r';
}

}  // namespace

std::string redact_assignments(const std::string& text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=' && text[i] != ':' && text[i] != ' ') {
      continue;
    }
    std::size_t begin = i;
    while (begin > copied &&
           (is_word(text[begin - 1]) || text[begin - 1] == '_' || text[begin - 1] == '-')) {
      --begin;
    }
    const std::string_view name = std::string_view(text).substr(begin, i - begin);
    const bool option = text[i] == ' ' && name.starts_with("--");
    const bool assigned = text[i] != ' ' && !text.substr(i).starts_with("://");
    std::size_t value = i + 1;
    while (value < text.size() && (text[value] == ' ' || text[value] == '"')) {
      ++value;
    }
    std::size_t end = value;
    while (end < text.size() && !ends_url(text[end]) && text[end] != '&') {
      ++end;
    }
    const bool bearer = to_lower_ascii(name) == "bearer" && text[i] == ' ';
    if (end > value && !name.empty() && (option || assigned || bearer) &&
        (bearer || is_secret_name(name)) && text.substr(value, end - value) != kGone) {
      out.append(text, copied, value - copied);
      out += kGone;
      copied = end;
      i = end;
    }
  }
  out.append(text, copied, std::string::npos);
  return out;
}

std::string redact_tokens(const std::string& text) {
  std::string out;
  std::size_t copied = 0;
  const auto in_token = [](char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-'; };
  for (std::size_t i = 0; i < text.size();) {
    if (!in_token(text[i]) || (i > 0 && is_word(text[i - 1]))) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_token(text[end])) {
      ++end;
    }
    const std::string_view word = std::string_view(text).substr(i, end - i);
    bool secret = word.starts_with("eyJ") && word.size() >= 16;
    for (const std::string_view start : kTokenStarts) {
      secret = secret || (word.starts_with(start) && word.size() >= start.size() + kShortestToken &&
                          std::ranges::any_of(word.substr(start.size()), is_digit));
    }
    if (secret) {
      while (end < text.size() && (in_token(text[end]) || text[end] == '.')) {
        ++end;
      }
      out.append(text, copied, i - copied);
      out += kGone;
      copied = end;
    }
    i = end;
  }
  out.append(text, copied, std::string::npos);
  return out;
}

std::size_t hex_groups(std::string_view text, std::span<const std::size_t> sizes, char separator) {
  std::size_t at = 0;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    if (group > 0 && (at >= text.size() || text[at++] != separator)) {
      return 0;
    }
    for (std::size_t i = 0; i < sizes[group]; ++i, ++at) {
      if (at >= text.size() || !is_hex(text[at])) {
        return 0;
      }
    }
  }
  return at < text.size() && (is_word(text[at]) || text[at] == separator) ? 0 : at;
}

std::size_t dotted_address(std::string_view text, std::array<unsigned, 4>& parts) {
  std::size_t at = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) {
      return 0;
    }
    unsigned number = 0;
    std::size_t digits = 0;
    while (at < text.size() && is_digit(text[at]) && digits < 4) {
      number = number * 10 + static_cast<unsigned>(text[at] - '0');
      ++at;
      ++digits;
    }
    if (digits == 0 || digits > 3 || number > 255) {
      return 0;
    }
    parts[part] = number;
  }
  const bool goes_on =
      at < text.size() && (is_word(text[at]) || text[at] == '_' ||
                           (text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1])));
  return goes_on ? 0 : at;
}

std::size_t colon_address(std::string_view text) {
  std::size_t at = 0;
  std::size_t groups = 0;
  bool gap = false;
  while (at < text.size() && (is_hex(text[at]) || text[at] == ':')) {
    if (text.substr(at).starts_with("::")) {
      if (gap) {
        return 0;
      }
      gap = true;
      at += 2;
      continue;
    }
    if (text[at] == ':') {
      if (at == 0 || at + 1 >= text.size() || !is_hex(text[at + 1])) {
        break;
      }
      ++at;
      continue;
    }
    std::size_t digits = 0;
    while (at < text.size() && is_hex(text[at])) {
      ++at;
      ++digits;
    }
    if (digits > 4) {
      return 0;
    }
    ++groups;
  }
  const bool ends = at >= text.size() || !is_word(text[at]);
  return ends && ((gap && groups >= 2 && groups < 8) || (!gap && groups == 8)) ? at : 0;
}

std::string redact_mail(const std::string& text) {
  std::string out;
  std::size_t copied = 0;
  const auto in_name = [](char c) {
    return is_word(c) || c == '.' || c == '_' || c == '-' || c == '+';
  };
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    std::size_t begin = at;
    while (begin > copied && in_name(text[begin - 1])) {
      --begin;
    }
    std::size_t end = at + 1;
    while (end < text.size() && (is_word(text[end]) || text[end] == '.' || text[end] == '-')) {
      ++end;
    }
    const std::string_view domain = std::string_view(text).substr(at + 1, end - at - 1);
    // A symbol's version ("memcpy@GLIBC_2.14") has no domain behind it; who built a kernel stands
    // in brackets: "(user@host)".
    const std::size_t dot = domain.rfind('.');
    const bool mail = dot != std::string_view::npos && dot + 2 < domain.size() &&
                      std::ranges::all_of(domain.substr(dot + 1), is_letter);
    const bool builder = begin > 0 && text[begin - 1] == '(';
    if (begin < at && !domain.empty() && (mail || builder)) {
      out.append(text, copied, begin - copied);
      out += "***@***";
      copied = end;
      at = end - 1;
    }
  }
  out.append(text, copied, std::string::npos);
  return out;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "report/text_style.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace plumb {
namespace {

struct MarkLook {
  std::string_view unicode;
  std::string_view ascii;
  std::string_view colour;  // SGR parameters
};

MarkLook look_of(Mark mark) {
  switch (mark) {
    case Mark::right:
      return {"✓", "ok", "32"};
    case Mark::look:
      return {"!", "!", "33"};
    case Mark::broken:
      return {"✗", "X", "31"};
    case Mark::unreadable:
      return {"?", "?", "33"};
    case Mark::not_needed:
      return {"–", "-", "2"};
    case Mark::waits:
      return {" ", " ", "2"};
  }
  return {" ", " ", "2"};
}

std::string sgr(std::string_view parameters, std::string_view text, const TextStyle& style) {
  if (!style.colour || text.empty()) {
    return std::string(text);
  }
  std::string out = "\x1b[";
  out += parameters;
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

std::string without_colour(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      const std::size_t end = text.find('m', i);
      if (end == std::string_view::npos) {
        break;
      }
      i = end;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

void wrap_paragraph(std::string_view text, std::size_t columns, std::vector<std::string>& lines) {
  std::string line;
  std::size_t width = 0;
  std::size_t blanks = 0;  // between the last word and the next; kept inside a line
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) {
      ++blanks;
      continue;
    }
    const std::size_t word_width = visible_width(word);
    if (!line.empty() && width + blanks + word_width > columns) {
      lines.push_back(std::move(line));
      line.clear();
      width = 0;
    }
    if (!line.empty()) {
      line.append(blanks, ' ');
      width += blanks;
    }
    line += word;
    width += word_width;
    blanks = 1;
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::size_t mark_width(const TextStyle& style) {
  return style.unicode ? 1 : 2;
}

std::string mark(Mark mark, const TextStyle& style) {
  const MarkLook look = look_of(mark);
  const std::string_view glyph = style.unicode ? look.unicode : look.ascii;
  const std::size_t width = display_width(glyph);
  std::string out = glyph == " " ? " " : sgr(look.colour, glyph, style);
  out.append(mark_width(style) - std::min(width, mark_width(style)), ' ');
  return out;
}

std::string coloured(Mark mark, std::string_view text, const TextStyle& style) {
  return sgr(look_of(mark).colour, text, style);
}

std::string dim(std::string_view text, const TextStyle& style) {
  return sgr("2", text, style);
}

std::string bold(std::string_view text, const TextStyle& style) {
  return sgr("1", text, style);
}

std::size_t visible_width(std::string_view text) {
  return text.find('\x1b') == std::string_view::npos ? display_width(text)
                                                     : display_width(without_colour(text));
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string_view paragraph : split(text, '\n')) {
    wrap_paragraph(paragraph, columns, lines);
  }
  return lines;
}

std::string labelled(std::string_view first, std::string_view text, std::size_t indent,
                     std::size_t label_width, const TextStyle& style) {
  const std::size_t start = indent + label_width;
  const std::size_t room = style.columns > start + 20 ? style.columns - start : 20;
  std::string out;
  bool label_due = true;
  for (const std::string& line : wrap(text, room)) {
    std::string head(indent, ' ');
    if (label_due) {
      head += first;
      const std::size_t width = visible_width(first);
      head.append(label_width > width ? label_width - width : 0, ' ');
    } else {
      head.append(label_width, ' ');
    }
    label_due = false;
    std::string whole = head + line;
    whole.erase(whole.find_last_not_of(' ') + 1);
    out += whole + '\n';
  }
  return out;
}

std::vector<std::string> aligned_rows(const std::vector<std::vector<std::string>>& rows,
                                      std::size_t gap, const std::vector<Align>& alignment) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], visible_width(row[i]));
    }
  }
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t padding = widths[i] - visible_width(row[i]);
      const bool right = i < alignment.size() && alignment[i] == Align::right;
      line.append(i == 0 ? 0 : gap, ' ');
      line.append(right ? padding : 0, ' ');
      line += row[i];
      line.append(right ? 0 : padding, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string in_charset(std::string_view text, const TextStyle& style) {
  std::string out(text);
  if (style.unicode) {
    return out;
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAscii = {{
      {"…", "..."},
      {"–", "-"},
      {"—", "-"},
      {"·", "-"},
      {"≥", ">="},
      {"≤", "<="},
      {"×", "x"},
      {"→", "->"},
      {"✓", "ok"},
      {"✗", "X"},
  }};
  for (const auto& [from, to] : kAscii) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at)) {
      out.replace(at, from.size(), to);
      at += to.size();
    }
  }
  return out;
}

}  // namespace plumb

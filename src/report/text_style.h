// SPDX-License-Identifier: Apache-2.0
#pragma once
// How reports look on a terminal: marks, colour, wrapping, aligned rows. Colour repeats a mark and
// says nothing of its own, so every report reads the same without it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct TextStyle {
  bool colour = false;
  bool unicode = true;  // false: `ok ! X ? -` for the marks
  std::size_t columns = 80;
};

enum class Mark : std::uint8_t {
  right,       // ✓ works
  look,        // ! works, but look
  broken,      // ✗
  unreadable,  // ? could not be read
  not_needed,  // – not there and not needed
  waits,       // blank: waits for a layer below
};

/// The mark in its colour, padded to mark_width().
[[nodiscard]] std::string mark(Mark mark, const TextStyle& style);
[[nodiscard]] std::size_t mark_width(const TextStyle& style);  // 1, or 2 for ASCII ("ok")

/// `text` in the colour of a mark; unchanged without colour.
[[nodiscard]] std::string coloured(Mark mark, std::string_view text, const TextStyle& style);
[[nodiscard]] std::string dim(std::string_view text, const TextStyle& style);
[[nodiscard]] std::string bold(std::string_view text, const TextStyle& style);

/// Columns on a terminal, colour sequences of ours not counted.
[[nodiscard]] std::size_t visible_width(std::string_view text);

/// Breaks at blanks so that no line is wider than `columns`; a word that is wider stays whole (a
/// path or command must not be broken). At least one line. Line breaks in `text` are kept.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// `first` and then wrapped `text`, following lines indented to where `text` began; ends with '\n'.
/// `indent`: blanks before `first`, which is padded to `label_width`.
[[nodiscard]] std::string labelled(std::string_view first, std::string_view text,
                                   std::size_t indent, std::size_t label_width,
                                   const TextStyle& style);

enum class Align : std::uint8_t { left, right };
/// Rows of cells to lines without '\n': every column as wide as its widest cell, `gap` blanks
/// between, no blanks at line ends. Columns past the end of `alignment` are left-aligned; rows may
/// differ in length.
[[nodiscard]] std::vector<std::string> aligned_rows(
    const std::vector<std::vector<std::string>>& rows, std::size_t gap = 2,
    const std::vector<Align>& alignment = {});

/// Where the console shows no Unicode, our own punctuation ("…", "–", "·", "≥") by ASCII; foreign
/// names are left as they are.
[[nodiscard]] std::string in_charset(std::string_view text, const TextStyle& style);

}  // namespace plumb

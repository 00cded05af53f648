// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text as plumb handles it: UTF-8 inside, hostile until cleaned.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// True if `text` is well-formed UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text);

/// Makes foreign bytes fit to print and to put into JSON: every byte that is not part of
/// well-formed UTF-8 and every control character (C0, DEL, C1, bidi overrides) becomes `\xNN` /
/// `\u{NNNN}`. Idempotent on clean text.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns on a terminal: East Asian wide characters count two, combining marks none.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Cuts the middle out with `…` so that the result is at most `columns` wide.
/// What follows the last separator of a path of either system.
[[nodiscard]] std::string base_name(std::string_view path);

[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t columns);

/// Pads with blanks on the right up to `columns` (display width).
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);

[[nodiscard]] std::string to_lower_ascii(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
[[nodiscard]] bool ends_with_nocase(std::string_view text, std::string_view suffix);

/// A whole decimal number, nothing else; empty if it is not one or does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// "554.6 MB" (decimal units, as file managers and package indexes count).
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

}  // namespace plumb

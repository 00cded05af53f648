// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of text that no shared report may hold, wherever they stand. Internal to redaction.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

inline constexpr std::string_view kGone = "***";  // stands for a secret

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Bytes of other scripts count as letters.
inline bool is_word(char c) {
  return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// "token=abc", "--password abc", "Bearer abc": the value goes.
[[nodiscard]] std::string redact_assignments(const std::string& text);
/// Tokens that services give out, by their first letters; JSON web tokens.
[[nodiscard]] std::string redact_tokens(const std::string& text);
/// Mail addresses, and who built a kernel: "(user@host)".
[[nodiscard]] std::string redact_mail(const std::string& text);

/// Length of groups of hexadecimal digits of these sizes at the front; 0 if there are none.
[[nodiscard]] std::size_t hex_groups(std::string_view text, std::span<const std::size_t> sizes,
                                     char separator);
/// Length of an IPv4 address at the front, and its parts; 0 if there is none.
[[nodiscard]] std::size_t dotted_address(std::string_view text, std::array<unsigned, 4>& parts);
/// Length of an IPv6 address at the front: eight groups, or from two to seven with one "::".
[[nodiscard]] std::size_t colon_address(std::string_view text);

}  // namespace plumb

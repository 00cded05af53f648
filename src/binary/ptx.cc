// SPDX-License-Identifier: Apache-2.0
#include "binary/ptx.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::uint64_t kHead = 64 * 1024;

/// What follows white space and comments; empty if a comment does not end.
std::string_view skip_comments(std::string_view text) {
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(start);
    std::string_view end;
    if (text.starts_with("//")) {
      end = "\n";
    } else if (text.starts_with("/*")) {
      end = "*/";
    } else {
      return text;
    }
    const std::size_t found = text.find(end);
    if (found == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(found + end.size());
  }
}

/// Takes `directive` and the word after it off the front of `text`.
std::string_view take_directive(std::string_view& text, std::string_view directive) {
  text = skip_comments(text);
  if (!text.starts_with(directive)) {
    return {};
  }
  text.remove_prefix(directive.size());
  text = skip_comments(text);
  const std::size_t end = std::min(text.find_first_of(" \t\r\n,;"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

bool looks_like_ptx(Bytes first_bytes) {
  const std::string_view text = as_text(first_bytes);
  if (text.find('\0') != std::string_view::npos) {
    return false;
  }
  // Compilers put a comment first, longer than these bytes: any text that starts with one may be
  // PTX.
  const std::string_view rest = trim(text);
  return rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with(".version");
}

Result<GpuImage> read_ptx(const Source& source) {
  PLUMB_ASSIGN(const auto bytes, read_range(source, 0, std::min(kHead, source.size()), kHead));
  std::string_view text = as_text(bytes);
  const std::string_view version = take_directive(text, ".version");
  const std::string_view target = take_directive(text, ".target");
  GpuImage image;
  image.kind = ImageKind::ptx;
  const std::size_t dot = version.find('.');
  const auto major = parse_decimal(version.substr(0, dot));
  const auto minor =
      dot == std::string_view::npos ? std::nullopt : parse_decimal(version.substr(dot + 1));
  const std::size_t digits_end =
      target.starts_with("sm_") ? std::min(target.find_first_not_of("0123456789", 3), target.size())
                                : 0;
  const auto sm = digits_end > 3 ? parse_decimal(target.substr(3, digits_end - 3)) : std::nullopt;
  const std::string_view suffix = digits_end > 3 ? target.substr(digits_end) : std::string_view();
  if (!major || !minor || !sm || *major > 99 || *minor > 99 || *sm > 9999 ||
      !(suffix.empty() || suffix == "a" || suffix == "f")) {
    return fail(ErrorCode::not_binary, "not PTX: no `.version` and `.target` at the start");
  }
  image.isa_major = static_cast<std::uint8_t>(*major);
  image.isa_minor = static_cast<std::uint8_t>(*minor);
  image.target = {static_cast<std::uint16_t>(*sm), suffix.empty() ? '\0' : suffix.front()};
  return image;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small text files as facts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "facts/fact.h"
#include "observe/host.h"
#include "os/file.h"

namespace plumb {

constexpr std::uint64_t kUsualTextCap = 1 << 20;

/// What `parse` (text -> optional<T>) makes of the file at `path` on that machine. No file: absent;
/// text that says nothing: unreadable.
template <class T, class Parse>
[[nodiscard]] Fact<T> fact_of_file(const Host& host, const std::string& path, Parse parse,
                                   std::uint64_t cap = kUsualTextCap) {
  const auto text = read_text_file(host.at(path), cap);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? Fact<T>::absent(path)
                                                     : Fact<T>::unreadable(text.error(), path);
  }
  std::optional<T> value = parse(std::string_view(*text));
  if (!value) {
    return Fact<T>::unreadable(
        {ErrorCode::malformed, "the file does not say what it should", path, {}}, path);
  }
  return Fact<T>::present(*std::move(value), path);
}

/// The file's text without the blanks and NULs around it; an empty one is unreadable.
[[nodiscard]] Fact<std::string> fact_of_line(const Host& host, const std::string& path);

/// Another value made of a fact's; an empty result makes it unreadable.
template <class To, class From, class Convert>
[[nodiscard]] Fact<To> converted(const Fact<From>& from, Convert convert) {
  if (!from.value) {
    return {{}, from.origin, from.fault};
  }
  std::optional<To> value = convert(*from.value);
  if (!value) {
    return Fact<To>::unreadable({ErrorCode::malformed, "the value means nothing", from.origin, {}},
                                from.origin);
  }
  return Fact<To>::present(*std::move(value), from.origin);
}

/// A variable of the process: absent if it is not set or empty.
[[nodiscard]] Fact<std::string> fact_of_variable(const Host& host, const std::string& name);

}  // namespace plumb

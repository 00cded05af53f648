// SPDX-License-Identifier: Apache-2.0
#pragma once
// Versions of frameworks as their rules compare them: by release number alone.

#include <compare>
#include <string_view>

namespace plumb {

struct Release {
  unsigned major = 0, minor = 0, patch = 0;
  auto operator<=>(const Release&) const = default;
};

/// "2.14.1+cu130" -> 2.14.1; "12" -> 12.0.0. What cannot be read counts as newer than all others:
/// the newest rule is the best guess for a development build.
[[nodiscard]] Release parse_release(std::string_view version);

}  // namespace plumb

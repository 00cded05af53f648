// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the command line explains itself: help in plumb's manner, and what the parser refuses said in
// plumb's words. The parser's own texts are made for programmers.

#include <cstddef>
#include <string>

#include "base/error.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace plumb {

/// The help of the command that was being parsed, or of the program; ends with a line break.
[[nodiscard]] std::string help_text(const CLI::App& app, std::size_t columns);

/// Code usage, with what was wrong, the nearest right name where there is one, and where help is.
[[nodiscard]] Error usage_error(const CLI::ParseError& error, const CLI::App& app);

}  // namespace plumb

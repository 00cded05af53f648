// SPDX-License-Identifier: Apache-2.0
#pragma once
// Result<T> = std::expected<T, Error>, and the two macros that pass an error up.

#include <expected>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumb {

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error{code, std::move(what), {}, {}});
}

}  // namespace plumb

#define PLUMB_CONCAT_(a, b) a##b
#define PLUMB_CONCAT(a, b) PLUMB_CONCAT_(a, b)

/// Returns the error of `expression` (a Result<void>, or one whose value is not wanted).
#define PLUMB_TRY(expression)                                   \
  do {                                                          \
    if (auto plumb_result_ = (expression); !plumb_result_) {    \
      return std::unexpected(std::move(plumb_result_).error()); \
    }                                                           \
  } while (false)

/// PLUMB_ASSIGN(auto x, read_x()): x is the value, or the error is returned.
#define PLUMB_ASSIGN(declaration, expression) \
  PLUMB_ASSIGN_(PLUMB_CONCAT(plumb_result_, __LINE__), declaration, expression)
#define PLUMB_ASSIGN_(temporary, declaration, expression) \
  auto temporary = (expression);                          \
  if (!temporary) {                                       \
    return std::unexpected(std::move(temporary).error()); \
  }                                                       \
  declaration = std::move(*temporary)

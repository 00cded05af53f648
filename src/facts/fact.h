// SPDX-License-Identifier: Apache-2.0
#pragma once
// One observed value. Three things stay apart: seen (with where it was read), not there, and could
// not be read.

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumb {

template <class T>
struct Fact {
  std::optional<T> value;
  std::string
      origin;  // "/sys/module/nvidia/version", "torch/version.py"; "" if nothing was looked at
  std::optional<Error> fault;  // set: it may be there, but could not be read

  [[nodiscard]] static Fact present(T value, std::string origin) {
    return {std::move(value), std::move(origin), {}};
  }
  [[nodiscard]] static Fact absent(std::string origin) { return {{}, std::move(origin), {}}; }
  [[nodiscard]] static Fact unreadable(Error error, std::string origin) {
    return {{}, std::move(origin), std::move(error)};
  }
  [[nodiscard]] explicit operator bool() const { return value.has_value(); }
};

}  // namespace plumb

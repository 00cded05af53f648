// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a machine a search may walk through: a folder on a slow or dead drive must not hold
// up the rest.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace plumb {

struct SearchLimits {
  std::chrono::milliseconds per_root{300};  // looked at between directory listings
  std::size_t environments = 500;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// Runs while one root is searched; says once, in `errors`, that it was given up.
class RootTimer {
 public:
  RootTimer(const SearchLimits& limits, std::string root, std::vector<Error>& errors)
      : limits_(limits), root_(std::move(root)), errors_(errors), start_(limits.now()) {}

  [[nodiscard]] bool expired() {
    if (!expired_ && limits_.now() - start_ > limits_.per_root) {
      expired_ = true;
      errors_.push_back({ErrorCode::limit,
                         "took longer than " + std::to_string(limits_.per_root.count()) +
                             " ms to look through; the rest was left out",
                         root_,
                         {}});
    }
    return expired_;
  }

 private:
  const SearchLimits& limits_;
  std::string root_;
  std::vector<Error>& errors_;
  std::chrono::steady_clock::time_point start_;
  bool expired_ = false;
};

}  // namespace plumb

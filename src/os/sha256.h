// SPDX-License-Identifier: Apache-2.0
#pragma once
// SHA-256 by libcrypto (Linux) or CNG (Windows). sha256_posix.cc / sha256_win32.cc.

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace plumb {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::span<const std::byte> bytes);
  /// Ends the computation; the object is of no further use.
  [[nodiscard]] std::array<std::byte, 32> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/sha256.h"

#include <windows.h>
// clang-format off: bcrypt.h needs what windows.h declares
#include <bcrypt.h>
// clang-format on

#include <algorithm>

namespace plumb {
namespace {

// Opened once: opening a provider costs more than hashing a small file.
BCRYPT_ALG_HANDLE provider() {
  static const BCRYPT_ALG_HANDLE handle = [] {
    BCRYPT_ALG_HANDLE opened = nullptr;
    ::BCryptOpenAlgorithmProvider(&opened, BCRYPT_SHA256_ALGORITHM, nullptr, 0);
    return opened;
  }();
  return handle;
}

}  // namespace

struct Sha256::State {
  BCRYPT_HASH_HANDLE hash = nullptr;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  ::BCryptCreateHash(provider(), &state_->hash, nullptr, 0, nullptr, 0, 0);
}

Sha256::~Sha256() {
  if (state_->hash != nullptr) {
    ::BCryptDestroyHash(state_->hash);
  }
}

void Sha256::update(std::span<const std::byte> bytes) {
  constexpr std::size_t kMostAtOnce = 1U << 30U;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMostAtOnce));
    // The parameter is not const, but is only read.
    auto* start = reinterpret_cast<UCHAR*>(const_cast<std::byte*>(piece.data()));
    ::BCryptHashData(state_->hash, start, static_cast<ULONG>(piece.size()), 0);
    bytes = bytes.subspan(piece.size());
  }
}

std::array<std::byte, 32> Sha256::finish() {
  std::array<std::byte, 32>
      digest{};  // stays zero, which agrees with no file, should the library fail
  ::BCryptFinishHash(state_->hash, reinterpret_cast<UCHAR*>(digest.data()),
                     static_cast<ULONG>(digest.size()), 0);
  return digest;
}

}  // namespace plumb

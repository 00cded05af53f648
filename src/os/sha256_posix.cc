// SPDX-License-Identifier: Apache-2.0
#include "os/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace plumb {

struct Sha256::State {
  EVP_MD_CTX* context = nullptr;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  // The system's openssl.cnf can name modules to load and be broken: nothing of it is wanted here.
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  state_->context = ::EVP_MD_CTX_new();
  ::EVP_DigestInit_ex(state_->context, ::EVP_sha256(), nullptr);
}

Sha256::~Sha256() {
  ::EVP_MD_CTX_free(state_->context);
}

void Sha256::update(std::span<const std::byte> bytes) {
  ::EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::array<std::byte, 32> Sha256::finish() {
  std::array<std::byte, 32>
      digest{};  // stays zero, which agrees with no file, should the library fail
  unsigned length = static_cast<unsigned>(digest.size());
  ::EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.data()), &length);
  return digest;
}

}  // namespace plumb

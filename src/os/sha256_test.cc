// SPDX-License-Identifier: Apache-2.0
#include "os/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace plumb {
namespace {

std::string digest_of(std::string_view text, std::size_t piece) {
  Sha256 hash;
  for (std::size_t i = 0; i < text.size(); i += piece) {
    hash.update(std::as_bytes(std::span(text.substr(i, piece))));
  }
  std::string hex;
  for (const std::byte byte : hash.finish()) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return hex;
}

TEST(Sha256, AgreesWithTheStandard) {  // FIPS 180-2, appendix B
  EXPECT_EQ(digest_of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc", 1),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  for (const std::size_t piece : {std::size_t{977}, std::size_t{1'000'000}}) {
    EXPECT_EQ(digest_of(million, piece),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passwords out of settings and addresses, before they become facts.

#include <string>
#include <string_view>

namespace plumb {

/// "https://user:pass@host/simple?token=x" -> "https://***@host/simple?***", wherever in the text
/// an address stands; also "user:pass@proxy:8080" without a scheme, and conda's
/// "host/t/TOKEN/channel". A query stays if nothing in it looks like a secret.
[[nodiscard]] std::string mask_secrets(std::string_view text);

/// True for names of tokens, passwords, secrets and keys: "UV_PUBLISH_TOKEN", "client_key".
[[nodiscard]] bool is_secret_name(std::string_view name);

/// The value of a setting: "***" where the name says that it is a secret.
[[nodiscard]] std::string masked_value(std::string_view name, std::string_view value);

}  // namespace plumb

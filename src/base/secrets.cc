// SPDX-License-Identifier: Apache-2.0
#include "base/secrets.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kBlanks = " \t\r\n\"'<>";

bool contains_any(std::string_view text, auto words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Where the login of "LOGIN@host/path" ends; npos if there is none. A password may hold '/', which
/// ends the host otherwise: then what stands before the '/' is no host with a port.
std::size_t login_end(std::string_view address) {
  const std::size_t slash = std::min(address.find_first_of("/?#"), address.size());
  const std::size_t at = address.substr(0, slash).rfind('@');
  if (at != std::string_view::npos) {
    return at;
  }
  const std::string_view host = address.substr(0, slash);
  const std::size_t colon = host.rfind(':');
  const bool has_port =
      colon == std::string_view::npos || host.starts_with('[') ||
      host.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos;
  return has_port ? std::string_view::npos : address.rfind('@');
}

/// "host/path?query" without secrets in the query.
std::string mask_query(std::string_view address) {
  const std::size_t query = address.find('?');
  const std::string lower =
      query == std::string_view::npos ? std::string{} : to_lower_ascii(address.substr(query));
  constexpr std::array<std::string_view, 7> kWords = {"token", "key",  "sig",   "secret",
                                                      "pass",  "auth", "access"};
  return contains_any(lower, kWords)
             ? std::string(address.substr(0, query + 1)) + std::string(kMask)
             : std::string(address);
}

/// conda writes tokens into paths: "host/t/TOKEN/channel".
std::string mask_conda_token(std::string address) {
  constexpr std::string_view kMark = "/t/";
  const std::size_t at = address.find(kMark);
  if (at != std::string::npos) {
    const std::size_t begin = at + kMark.size();
    const std::size_t end = std::min(address.find('/', begin), address.size());
    address.replace(begin, end - begin, kMask);
  }
  return address;
}

std::string mask_address(std::string_view address) {
  const std::size_t at = login_end(address);
  return mask_conda_token(at == std::string_view::npos
                              ? mask_query(address)
                              : std::string(kMask) + mask_query(address.substr(at)));
}

}  // namespace

std::string mask_secrets(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  std::string out;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(kBlanks), text.size());
    const std::string_view word = text.substr(0, blank);
    const std::size_t scheme = word.find(kScheme);
    if (scheme != std::string_view::npos) {
      out += word.substr(0, scheme + kScheme.size());
      out += mask_address(word.substr(scheme + kScheme.size()));
    } else if (const std::size_t at = word.find('@');
               at != std::string_view::npos && word.substr(0, at).find(':') < at) {
      out += kMask;
      out += word.substr(word.rfind('@'));
    } else {
      out += word;
    }
    out += text.substr(blank, 1);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return out;
}

bool is_secret_name(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  constexpr std::array<std::string_view, 9> kWords = {"token",   "password",   "passwd",
                                                      "secret",  "credential", "apikey",
                                                      "api_key", "access_key", "authtoken"};
  constexpr std::array<std::string_view, 8> kEnds = {"_key",  "-key", "_pwd", "_pass",
                                                     "-pass", "auth", ".key", "-pwd"};
  return lower == "key" || lower == "pwd" || lower == "pass" || contains_any(lower, kWords) ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return lower.ends_with(end); });
}

std::string masked_value(std::string_view name, std::string_view value) {
  return is_secret_name(name) && !value.empty() ? std::string(kMask) : mask_secrets(value);
}

}  // namespace plumb

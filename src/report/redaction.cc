// SPDX-License-Identifier: Apache-2.0
// Everything is found by its shape. Where a shape means two things (9.10.2.21 is a version of cuDNN
// and an address), what stands around it decides: see redact_addresses().
//
// Names of people are found where a home lies ("/home/NAME", "C:\Users\NAME"), and then replaced as
// whole words everywhere, unless the name is also a common word of these reports ("torch", "root"):
// such a name is replaced in the paths of homes alone.

#include "report/redaction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "base/secrets.h"
#include "base/text.h"
#include "report/redaction_shapes.h"

namespace plumb {
namespace {

/// Names that are words of these reports, too.
constexpr std::array<std::string_view, 34> kCommonWords = {
    "root",    "user",    "users",  "admin",  "administrator", "ubuntu", "debian",
    "nvidia",  "cuda",    "python", "torch",  "paddle",        "conda",  "public",
    "default", "guest",   "test",   "home",   "local",         "dev",    "build",
    "linux",   "windows", "system", "runner", "docker",        "gpu",    "jax",
    "jupyter", "ai",      "ml",     "pip",    "localhost",     "nobody"};
/// Folders where others' homes would stand.
constexpr std::array<std::string_view, 5> kNobodysHomes = {"public", "default", "all users",
                                                           "default user", "shared"};
/// Ids that are the same on every Windows: classes of devices and NVIDIA's installer.
constexpr std::array<std::string_view, 4> kPublicIds = {
    "4d36e968-e325-11ce-bfc1-08002be10318", "f01a9d53-3ff6-48d2-9f97-c8a7004be10c",
    "b2fe1952-0186-46c3-baec-a80aa35ac5b8", "8be4df61-93ca-11d2-aa0d-00e098032b8c"};

class Redactor {
 public:
  explicit Redactor(const KnownNames& names) {
    add_home(names.home);
    add_user(names.user);
    add_host(names.host);
  }

  void learn(const Json& json) {
    if (json.is_string()) {
      learn_homes(json.get_ref<const std::string&>());
    } else if (json.is_array()) {
      for (const Json& item : json) {
        learn(item);
      }
    } else if (json.is_object()) {
      for (const auto& [key, item] : json.get_ref<const Json::object_t&>()) {
        learn_homes(key);
        learn(item);
      }
    }
  }

  void redact(Json& json, const std::string& key) {
    if (json.is_string()) {
      std::string& text = json.get_ref<std::string&>();
      text = text_of(text, key);
    } else if (json.is_array()) {
      for (Json& item : json) {
        redact(item, key);
      }
    } else if (json.is_object()) {
      redact_object(json, key);
    }
  }

  std::size_t replaced = 0;

 private:
  /// A snapshot's own names are few ("display_key" is none); variables' names are in capitals.
  static bool is_secret_part(std::string_view key) {
    constexpr std::array<std::string_view, 4> kParts = {"password", "token", "secret", "serial"};
    const bool capitals = std::ranges::none_of(key, [](char c) { return c >= 'a' && c <= 'z'; });
    return (capitals && is_secret_name(key)) || key == "serial_number" ||
           std::ranges::any_of(kParts, [&](std::string_view part) {
             return key == part ||
                    (key.ends_with(part) && key[key.size() - part.size() - 1] == '_');
           });
  }

  void redact_object(Json& json, const std::string& key) {
    // {"name": "HF_TOKEN", "value": ...}: the name says what the value is.
    const auto name = json.find("name");
    const bool secret =
        name != json.end() && name->is_string() && is_secret_name(name->get_ref<std::string&>());
    bool keys_change = false;
    for (auto& [each, item] : json.get_ref<Json::object_t&>()) {
      if ((secret && each == "value") || is_secret_part(each)) {
        remove(item);
      } else {
        redact(item, each == "value" ? key : each);
        // Keys of a snapshot's own are words; those of maps are names of files and variables.
        keys_change = keys_change || (!is_plain_word(each) && text_of(each, {}) != each);
      }
    }
    if (keys_change) {
      Json renamed = Json::object();
      for (auto& [each, item] : json.get_ref<Json::object_t&>()) {
        renamed[text_of(each, {})] = std::move(item);
      }
      json = std::move(renamed);
    }
  }

  static bool is_plain_word(std::string_view key) {
    return std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  }

  /// The shape stays, so that it is still a snapshot.
  void remove(Json& item) {
    if (item.is_string()) {
      ++replaced;
      item = std::string(kGone);
    } else if (item.is_object()) {
      for (auto& [key, part] : item.get_ref<Json::object_t&>()) {
        if (key == "origin") {
          redact(part, "origin");
        } else {
          remove(part);
        }
      }
    } else if (item.is_array()) {
      for (Json& part : item) {
        remove(part);
      }
    } else if (item.is_number()) {
      item = 0;
    }
  }

  std::string text_of(const std::string& text, const std::string& key) {
    // The same paths and names stand in a snapshot many times.
    const auto [known, is_new] = cleaned_.try_emplace(key + '\n' + text);
    if (is_new) {
      known->second = clean_text(text, key);
    }
    replaced += known->second != text ? 1 : 0;
    return known->second;
  }

  std::string clean_text(const std::string& text, const std::string& key) {
    std::string out = mask_secrets(text);
    out = redact_assignments(out);
    out = redact_tokens(out);
    out = redact_ids(out);
    out = redact_addresses(out, key);
    return redact_names(out);
  }

  // ---- names ----

  void add_user(const std::string& user) {
    if (!user.empty() && !users_.contains(to_lower_ascii(user))) {
      const std::string stand_in =
          users_.empty() ? "USER" : "USER" + std::to_string(users_.size() + 1);
      users_.emplace(to_lower_ascii(user), stand_in);
    }
  }
  void add_home(const std::string& home) {
    if (home.size() > 1) {
      add_user(base_name(home));
    }
  }
  void add_host(const std::string& host) {
    if (!host.empty()) {
      hosts_.insert(to_lower_ascii(host));
      hosts_.insert(to_lower_ascii(host.substr(0, host.find('.'))));
    }
  }

  /// Where the name after a folder of homes begins; npos if there is none from `from` on.
  static std::size_t after_homes(std::string_view lower, std::size_t from) {
    std::size_t best = std::string_view::npos;
    for (const std::string_view homes : {"/home/", "/users/", "\\users\\", "\\home\\"}) {
      const std::size_t at = lower.find(homes, from);
      if (at != std::string_view::npos) {
        best = std::min(best, at + homes.size());
      }
    }
    return best;
  }
  static std::size_t end_of_part(std::string_view text, std::size_t from) {
    return std::min(text.find_first_of("/\\:;\"'\n\r\t,<>|)", from), text.size());
  }

  void learn_homes(const std::string& text) {
    const auto holds = [&text](std::string_view part) {
      return text.find(part) != std::string::npos;
    };
    if (!holds("ome") && !holds("sers") && !holds("SERS") && !holds("OME")) {
      return;  // the most, so the rest may take its time
    }
    const std::string lower = to_lower_ascii(text);
    for (std::size_t at = after_homes(lower, 0); at != std::string_view::npos;
         at = after_homes(lower, at)) {
      const std::string name = lower.substr(at, end_of_part(lower, at) - at);
      if (!name.empty() && name.size() < 64 && name.front() != '%' && name.front() != '$' &&
          std::ranges::find(kNobodysHomes, name) == kNobodysHomes.end()) {
        add_user(name);
      }
    }
  }

  static bool is_common(const std::string& lower) {
    return lower.size() < 3 || std::ranges::find(kCommonWords, lower) != kCommonWords.end() ||
           std::ranges::all_of(lower, is_digit);
  }

  std::string redact_names(const std::string& text) {
    const std::string lower = to_lower_ascii(text);
    std::string out;
    std::size_t copied = 0;
    const auto replace = [&](std::size_t begin, std::size_t end, const std::string& stand_in) {
      out.append(text, copied, begin - copied);
      out += stand_in;
      copied = end;
    };
    std::size_t home = after_homes(lower, 0);
    for (std::size_t i = 0; i < text.size();) {
      if (i == home) {
        const std::size_t end = end_of_part(lower, i);
        const auto user = users_.find(lower.substr(i, end - i));
        if (user != users_.end()) {
          replace(i, end, user->second);
        }
        home = after_homes(lower, end);
        i = std::max(end, i + 1);
        continue;
      }
      // Windows' short form of a name: "C:\Users\RUNNER~1".
      if (!is_word(text[i]) || (i > 0 && is_word(text[i - 1]))) {
        ++i;
        continue;
      }
      const std::size_t end = replace_word(lower, i, replace);
      i = end > i ? end : i + 1;
    }
    out.append(text, copied, std::string::npos);
    return out;
  }

  /// Replaces the name that begins at `at`, if one does; gives its end, else `at`.
  template <class Replace>
  std::size_t replace_word(const std::string& lower, std::size_t at, const Replace& replace) {
    const auto ends_word = [&](const std::string& name) {
      return lower.compare(at, name.size(), name) == 0 &&
             (at + name.size() == lower.size() || !is_word(lower[at + name.size()]));
    };
    for (const auto& [name, stand_in] : users_) {
      if (!is_common(name) && ends_word(name)) {
        replace(at, at + name.size(), stand_in);
        return at + name.size();
      }
    }
    for (const std::string& name : hosts_) {
      if (!is_common(name) && ends_word(name)) {
        replace(at, at + name.size(), "HOST");
        return at + name.size();
      }
    }
    return at;
  }

  // ---- ids and addresses ----

  std::string stand_in(std::map<std::string, std::string>& known, const std::string& what,
                       const char* kind) {
    const auto [it, is_new] = known.try_emplace(to_lower_ascii(what));
    if (is_new) {
      it->second = kind + std::to_string(known.size());
    }
    return it->second;
  }

  std::string redact_ids(const std::string& text) {
    constexpr std::array<std::size_t, 5> kUuid = {8, 4, 4, 4, 12};
    constexpr std::array<std::size_t, 6> kMac = {2, 2, 2, 2, 2, 2};
    std::string out;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!is_hex(text[i]) || (i > 0 && is_word(text[i - 1]))) {
        continue;
      }
      const std::string_view rest = std::string_view(text).substr(i);
      std::size_t length = hex_groups(rest, kUuid, '-');
      std::string replacement;
      if (length != 0) {
        const std::string id(rest.substr(0, length));
        if (std::ranges::find(kPublicIds, to_lower_ascii(id)) != kPublicIds.end()) {
          i += length - 1;
          continue;
        }
        replacement = stand_in(ids_, id, "UUID");
      } else if ((length = std::max(hex_groups(rest, kMac, ':'), hex_groups(rest, kMac, '-'))) !=
                 0) {
        replacement = stand_in(macs_, std::string(rest.substr(0, length)), "MAC");
      } else {
        continue;
      }
      out.append(text, copied, i - copied);
      out += replacement;
      copied = i + length;
      i = copied - 1;
    }
    out.append(text, copied, std::string::npos);
    return out;
  }

  /// A version of four parts looks the same: an address is one that stands in an URL, after '@' or
  /// before a port, that lies in a private network no library counts its versions in, or whose
  /// place in the snapshot holds no versions.
  static bool is_address(const std::string& text, std::size_t begin, std::size_t end,
                         const std::array<unsigned, 4>& parts, const std::string& key) {
    if (parts[0] == 0 || (parts[0] == 127 && parts[1] == 0)) {
      return false;  // this machine itself, on every machine
    }
    const bool in_url = begin >= 2 && text.compare(begin - 2, 2, "//") == 0;
    const bool after_at = begin >= 1 && text[begin - 1] == '@';
    const bool before_port = end + 1 < text.size() && text[end] == ':' && is_digit(text[end + 1]);
    const bool before_mask = end + 1 < text.size() && text[end] == '/' && is_digit(text[end + 1]);
    const bool is_private = (parts[0] == 192 && parts[1] == 168) ||
                            (parts[0] == 172 && parts[1] >= 16 && parts[1] < 32) ||
                            (parts[0] == 169 && parts[1] == 254) || parts[0] >= 100;
    const std::string lower = to_lower_ascii(key);
    const auto says = [&](std::string_view word) { return lower.contains(word); };
    const bool free_text = says("variable") || says("proxy") || says("host") || says("address") ||
                           says("command") || says("setting") || says("url") || says("value");
    return in_url || after_at || before_port || before_mask || is_private || free_text;
  }

  std::string redact_addresses(const std::string& text, const std::string& key) {
    std::string out;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool starts = i == 0 || !(is_word(text[i - 1]) || text[i - 1] == '.');
      std::array<unsigned, 4> parts{};
      std::size_t length = 0;
      if (starts && is_digit(text[i])) {
        length = dotted_address(std::string_view(text).substr(i), parts);
        if (length != 0 && !is_address(text, i, i + length, parts, key)) {
          i += length - 1;
          continue;
        }
      }
      if (length == 0 && starts && (is_hex(text[i]) || text[i] == ':')) {
        length = colon_address(std::string_view(text).substr(i));
      }
      if (length != 0) {
        out.append(text, copied, i - copied);
        out += stand_in(addresses_, text.substr(i, length), "ADDRESS");
        copied = i + length;
        i = copied - 1;
      }
    }
    out.append(text, copied, std::string::npos);
    return redact_mail(out);
  }

  std::map<std::string, std::string> users_;  // lower case -> stand-in
  std::set<std::string> hosts_;
  std::unordered_map<std::string, std::string> cleaned_;
  std::map<std::string, std::string> ids_, macs_, addresses_;
};

}  // namespace

std::size_t redact(Json& json, const KnownNames& names) {
  Redactor redactor(names);
  redactor.learn(json);
  redactor.redact(json, {});
  return redactor.replaced;
}

}  // namespace plumb

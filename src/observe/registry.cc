// SPDX-License-Identifier: Apache-2.0
#include "observe/registry.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/source.h"
#include "base/text.h"
#include "binary/utf16.h"
#include "os/registry.h"

namespace plumb {
namespace {

constexpr std::uint32_t kText = 1, kExpandText = 2, kBinary = 3, kDword = 4, kMultiText = 7,
                        kQword = 11;
constexpr std::size_t kMostKeys = 1'000'000;

std::string utf8_of(std::string_view data) {
  return utf8_from_utf16(std::as_bytes(std::span(data)));
}

std::string utf16_of(std::string_view text) {
  std::string data;
  const auto put = [&data](std::uint32_t unit) {
    data += static_cast<char>(unit & 0xff);
    data += static_cast<char>(unit >> 8 & 0xff);
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (i + length > text.size() || !is_utf8(text.substr(i, length))) {
      put(0xfffd);
      ++i;
      continue;
    }
    std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    }
    i += length;
    if (code >= 0x10000) {
      put(0xd800 + ((code - 0x10000) >> 10));
      code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    put(code);
  }
  return data;
}

class EmptyRegistry final : public Registry {
 public:
  Result<RegistryValue> value(const std::string& key, const std::string&) const override {
    return std::unexpected(Error{ErrorCode::not_found, "no such key", key, {}});
  }
  Result<std::vector<std::string>> subkeys(const std::string& key) const override {
    return std::unexpected(Error{ErrorCode::not_found, "no such key", key, {}});
  }
  Result<std::vector<std::string>> values(const std::string& key) const override {
    return std::unexpected(Error{ErrorCode::not_found, "no such key", key, {}});
  }
};

class SystemRegistry final : public Registry {
 public:
  Result<RegistryValue> value(const std::string& key, const std::string& name) const override {
    PLUMB_ASSIGN(RawRegistryValue raw, read_registry_value(key, name));
    return RegistryValue{raw.type, std::move(raw.data)};
  }
  Result<std::vector<std::string>> subkeys(const std::string& key) const override {
    return list_registry_keys(key);
  }
  Result<std::vector<std::string>> values(const std::string& key) const override {
    return list_registry_values(key);
  }
};

struct ExportedKey {
  std::vector<std::string> subkeys;
  std::vector<std::string> names;
  std::map<std::string, RegistryValue> values;  // by the name in lower case
};

class ExportedRegistry final : public Registry {
 public:
  explicit ExportedRegistry(std::string_view text) {
    std::string line;  // with those that it goes on in
    for (std::string_view part : split(text, '\n')) {
      part = trim(part);
      if (!line.empty() && line.front() != '[' && part.ends_with('\\')) {
        line += part.substr(0, part.size() - 1);
        continue;
      }
      if (line.empty() && part.ends_with('\\') && part.find("hex") != std::string_view::npos) {
        line = part.substr(0, part.size() - 1);
        continue;
      }
      line += part;
      read_line(line);
      line.clear();
    }
    if (!line.empty()) {
      read_line(line);
    }
  }

  Result<RegistryValue> value(const std::string& key, const std::string& name) const override {
    PLUMB_ASSIGN(const ExportedKey* found, find(key));
    const auto hit = found->values.find(to_lower_ascii(name));
    if (hit == found->values.end()) {
      return std::unexpected(Error{ErrorCode::not_found, "no such value", key + "\\" + name, {}});
    }
    return hit->second;
  }
  Result<std::vector<std::string>> subkeys(const std::string& key) const override {
    PLUMB_ASSIGN(const ExportedKey* found, find(key));
    return found->subkeys;
  }
  Result<std::vector<std::string>> values(const std::string& key) const override {
    PLUMB_ASSIGN(const ExportedKey* found, find(key));
    return found->names;
  }

 private:
  Result<const ExportedKey*> find(const std::string& key) const {
    const auto hit = keys_.find(to_lower_ascii(key));
    if (hit == keys_.end()) {
      return std::unexpected(Error{ErrorCode::not_found, "no such key", key, {}});
    }
    return &hit->second;
  }

  static std::string short_root(std::string_view key) {
    const std::size_t end = std::min(key.find('\\'), key.size());
    const std::string root = to_lower_ascii(key.substr(0, end));
    const std::string name = root == "hkey_local_machine"  ? "HKLM"
                             : root == "hkey_current_user" ? "HKCU"
                             : root == "hkey_classes_root" ? "HKCR"
                             : root == "hkey_users"        ? "HKU"
                                                           : std::string(key.substr(0, end));
    return name + std::string(key.substr(end));
  }

  ExportedKey& add_key(const std::string& key) {
    const auto [it, is_new] = keys_.try_emplace(to_lower_ascii(key));
    if (is_new) {
      const std::size_t slash = key.rfind('\\');
      if (slash != std::string::npos) {
        add_key(key.substr(0, slash)).subkeys.push_back(key.substr(slash + 1));
      }
    }
    return keys_.find(to_lower_ascii(key))->second;
  }

  void read_line(std::string_view line) {
    if (line.empty() || line.front() == ';') {
      return;
    }
    if (line.front() == '[') {
      const bool whole = line.size() > 2 && line.back() == ']' && line[1] != '-';
      // Deep keys cost a step for each of their parts.
      const bool sane = whole && std::ranges::count(line, '\\') < 64 && keys_.size() < kMostKeys;
      current_ = sane ? &add_key(short_root(line.substr(1, line.size() - 2))) : nullptr;
      return;
    }
    if (current_ == nullptr) {
      return;
    }
    std::string name;
    std::size_t at = 0;
    if (line.starts_with('"')) {
      const auto text = quoted(line);
      if (!text) {
        return;
      }
      name = text->first;
      at = text->second;
    } else if (line.starts_with('@')) {
      at = 1;
    } else {
      return;
    }
    line.remove_prefix(at);
    line = trim(line);
    if (!line.starts_with('=')) {
      return;
    }
    if (auto value = read_value(trim(line.substr(1)))) {
      if (current_->values.insert_or_assign(to_lower_ascii(name), *std::move(value)).second) {
        current_->names.push_back(name);
      }
    }
  }

  /// The text in quotes at the front and what it takes.
  static std::optional<std::pair<std::string, std::size_t>> quoted(std::string_view text) {
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        value += text[++i];
      } else if (text[i] == '"') {
        return std::pair{std::move(value), i + 1};
      } else {
        value += text[i];
      }
    }
    return std::nullopt;
  }

  static std::optional<RegistryValue> read_value(std::string_view text) {
    if (text.starts_with('"')) {
      const auto value = quoted(text);
      return value ? std::optional(
                         RegistryValue{kText, utf16_of(value->first) + std::string(2, '\0')})
                   : std::nullopt;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string kind = to_lower_ascii(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (kind == "dword") {
      const auto number = hex(trim(text));
      if (!number || *number > 0xffffffff) {
        return std::nullopt;
      }
      RegistryValue value{kDword, {}};
      for (int shift = 0; shift < 32; shift += 8) {
        value.data += static_cast<char>(*number >> shift & 0xff);
      }
      return value;
    }
    RegistryValue value{kBinary, {}};
    if (kind != "hex") {
      const auto type = kind.starts_with("hex(") && kind.ends_with(')')
                            ? hex(std::string_view(kind).substr(4, kind.size() - 5))
                            : std::nullopt;
      if (!type || *type > 0xffffffff) {
        return std::nullopt;
      }
      value.type = static_cast<std::uint32_t>(*type);
    }
    for (const std::string_view part : split(text, ',')) {
      if (trim(part).empty()) {
        continue;
      }
      const auto byte = hex(trim(part));
      if (!byte || *byte > 0xff) {
        return std::nullopt;
      }
      value.data += static_cast<char>(*byte);
    }
    return value;
  }

  static std::optional<std::uint64_t> hex(std::string_view text) {
    if (text.empty() || text.size() > 16) {
      return std::nullopt;
    }
    std::uint64_t number = 0;
    for (const char c : text) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) {
        return std::nullopt;
      }
      number = number << 4 | static_cast<std::uint64_t>(digit);
    }
    return number;
  }

  std::map<std::string, ExportedKey> keys_;  // by the name in lower case
  ExportedKey* current_ = nullptr;
};

std::string origin_of(const std::string& key, const std::string& name) {
  return key + "\\" + (name.empty() ? "(default)" : name);
}

template <class T, class Decode>
Fact<T> registry_fact(const Registry& registry, const std::string& key, const std::string& name,
                      Decode decode) {
  const std::string origin = origin_of(key, name);
  const auto value = registry.value(key, name);
  if (!value) {
    return value.error().code == ErrorCode::not_found ? Fact<T>::absent(origin)
                                                      : Fact<T>::unreadable(value.error(), origin);
  }
  std::optional<T> decoded = decode(*value);
  if (!decoded) {
    return Fact<T>::unreadable(
        {ErrorCode::malformed,
         "the value has type " + std::to_string(value->type) + " and " +
             std::to_string(value->data.size()) + " bytes, which says nothing here",
         origin,
         {}},
        origin);
  }
  return Fact<T>::present(*std::move(decoded), origin);
}

std::string first_text(const std::string& data) {
  const std::string text = utf8_of(data);
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::shared_ptr<const Registry> empty_registry() {
  return std::make_shared<EmptyRegistry>();
}

std::shared_ptr<const Registry> system_registry() {
  return std::make_shared<SystemRegistry>();
}

std::shared_ptr<const Registry> registry_of_export(std::string_view text) {
  if (text.starts_with("\xff\xfe")) {
    return std::make_shared<ExportedRegistry>(utf8_of(text.substr(2)));
  }
  return std::make_shared<ExportedRegistry>(text.starts_with("\xef\xbb\xbf") ? text.substr(3)
                                                                             : text);
}

Fact<std::string> registry_text(const Registry& registry, const std::string& key,
                                const std::string& name) {
  return registry_fact<std::string>(registry, key, name,
                                    [](const RegistryValue& value) -> std::optional<std::string> {
                                      if (value.type != kText && value.type != kExpandText) {
                                        return std::nullopt;
                                      }
                                      return first_text(value.data);
                                    });
}

Fact<std::uint64_t> registry_number(const Registry& registry, const std::string& key,
                                    const std::string& name) {
  return registry_fact<std::uint64_t>(
      registry, key, name, [](const RegistryValue& value) -> std::optional<std::uint64_t> {
        const bool known = value.type == kBinary || value.type == kDword || value.type == kQword;
        if (!known || (value.data.size() != 4 && value.data.size() != 8)) {
          return std::nullopt;
        }
        std::uint64_t number = 0;
        for (std::size_t i = value.data.size(); i-- > 0;) {
          number = number << 8 | static_cast<unsigned char>(value.data[i]);
        }
        return number;
      });
}

Fact<std::vector<std::string>> registry_list(const Registry& registry, const std::string& key,
                                             const std::string& name) {
  return registry_fact<std::vector<std::string>>(
      registry, key, name,
      [](const RegistryValue& value) -> std::optional<std::vector<std::string>> {
        if (value.type == kText || value.type == kExpandText) {
          return std::vector{first_text(value.data)};
        }
        if (value.type != kMultiText) {
          return std::nullopt;
        }
        std::vector<std::string> list;
        const std::string text = utf8_of(value.data);
        for (const std::string_view part : split(text, '\0')) {
          if (part.empty()) {
            break;
          }
          list.emplace_back(part);
        }
        return list;
      });
}

std::vector<std::string> registry_subkeys(const Registry& registry, const std::string& key) {
  return registry.subkeys(key).value_or(std::vector<std::string>{});
}

std::string expand_variables(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string&)>& variable) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '%' ? text.find('%', i + 1) : std::string_view::npos;
    if (end != std::string_view::npos && end > i + 1) {
      if (const auto value = variable(std::string(text.substr(i + 1, end - i - 1)))) {
        out += *value;
        i = end + 1;
        continue;
      }
    }
    out += text[i++];
  }
  return out;
}

}  // namespace plumb

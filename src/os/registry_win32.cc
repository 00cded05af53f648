// SPDX-License-Identifier: Apache-2.0
#include "os/registry.h"

#include <windows.h>

#include <algorithm>
#include <utility>

#include "os/wide.h"

namespace plumb {
namespace {

constexpr DWORD kLargestValue = 1 << 20;
constexpr DWORD kMostEntries = 100'000;
constexpr DWORD kLongestName = 16384;  // of a value, with its NUL; of a key 256

/// An open key, closed at the end.
class Key {
 public:
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  Key(Key&& other) noexcept : key_(std::exchange(other.key_, nullptr)) {}
  Key& operator=(Key&&) = delete;
  ~Key() {
    if (key_ != nullptr) {
      ::RegCloseKey(key_);
    }
  }
  [[nodiscard]] HKEY get() const { return key_; }

  [[nodiscard]] static Result<Key> open(const std::string& path) {
    const std::size_t slash = std::min(path.find('\\'), path.size());
    const std::string root = path.substr(0, slash);
    HKEY base = nullptr;
    if (root == "HKLM") {
      base = HKEY_LOCAL_MACHINE;
    } else if (root == "HKCU") {
      base = HKEY_CURRENT_USER;
    } else if (root == "HKCR") {
      base = HKEY_CLASSES_ROOT;
    } else if (root == "HKU") {
      base = HKEY_USERS;
    } else {
      return std::unexpected(Error{ErrorCode::not_found, "no such root key", path, {}});
    }
    const std::string rest = slash < path.size() ? path.substr(slash + 1) : std::string{};
    HKEY key = nullptr;
    const LSTATUS status =
        ::RegOpenKeyExW(base, to_wide(rest).c_str(), 0,
                        KEY_QUERY_VALUE | KEY_ENUMERATE_SUB_KEYS | KEY_WOW64_64KEY, &key);
    if (status != ERROR_SUCCESS) {
      return std::unexpected(registry_error(status, path));
    }
    return Key(key);
  }

  [[nodiscard]] static Error registry_error(LSTATUS status, const std::string& where) {
    const ErrorCode code = status == ERROR_FILE_NOT_FOUND || status == ERROR_PATH_NOT_FOUND
                               ? ErrorCode::not_found
                           : status == ERROR_ACCESS_DENIED ? ErrorCode::no_permission
                                                           : ErrorCode::io;
    return {code,
            code == ErrorCode::not_found ? "no such key or value"
            : code == ErrorCode::no_permission
                ? "the registry does not let this user read it"
                : "the registry answers error " + std::to_string(status),
            where,
            {}};
  }

 private:
  explicit Key(HKEY key) : key_(key) {}
  HKEY key_;
};

}  // namespace

Result<RawRegistryValue> read_registry_value(const std::string& key, const std::string& name) {
  PLUMB_ASSIGN(const Key open, Key::open(key));
  const std::wstring wide = to_wide(name);
  std::string data(512, '\0');
  for (int attempt = 0; attempt < 8; ++attempt) {  // it may grow between two calls
    DWORD type = 0;
    auto size = static_cast<DWORD>(data.size());
    const LSTATUS status = ::RegQueryValueExW(open.get(), wide.c_str(), nullptr, &type,
                                              reinterpret_cast<BYTE*>(data.data()), &size);
    if (status == ERROR_SUCCESS) {
      data.resize(size);
      return RawRegistryValue{type, std::move(data)};
    }
    if (status != ERROR_MORE_DATA) {
      return std::unexpected(Key::registry_error(status, key + "\\" + name));
    }
    if (size > kLargestValue) {
      return std::unexpected(
          Error{ErrorCode::limit, "the value is larger than 1 MB", key + "\\" + name, {}});
    }
    data.resize(std::max<std::size_t>(size, data.size() * 2));
  }
  return std::unexpected(
      Error{ErrorCode::changed, "the value grows while it is read", key + "\\" + name, {}});
}

Result<std::vector<std::string>> list_registry_keys(const std::string& key) {
  PLUMB_ASSIGN(const Key open, Key::open(key));
  std::vector<std::string> names;
  for (DWORD index = 0; index < kMostEntries; ++index) {
    wchar_t name[256];
    DWORD length = 256;
    const LSTATUS status =
        ::RegEnumKeyExW(open.get(), index, name, &length, nullptr, nullptr, nullptr, nullptr);
    if (status != ERROR_SUCCESS) {
      break;
    }
    names.push_back(from_wide(std::wstring_view(name, length)));
  }
  return names;
}

Result<std::vector<std::string>> list_registry_values(const std::string& key) {
  PLUMB_ASSIGN(const Key open, Key::open(key));
  std::vector<std::string> names;
  std::wstring name(kLongestName, L'\0');
  for (DWORD index = 0; index < kMostEntries; ++index) {
    DWORD length = kLongestName;
    const LSTATUS status = ::RegEnumValueW(open.get(), index, name.data(), &length, nullptr,
                                           nullptr, nullptr, nullptr);
    if (status != ERROR_SUCCESS) {
      break;
    }
    names.push_back(from_wide(std::wstring_view(name.data(), length)));
  }
  return names;
}

}  // namespace plumb

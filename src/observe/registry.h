// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registry of the machine looked at: the running Windows', or the text that `reg export` writes
// (for a system mounted in a folder, and for tests on either system). Keys are written in full,
// with short roots and the 32-bit view as its own path:
//   HKLM\\SOFTWARE\\NVIDIA Corporation, HKCU\\Environment, HKLM\\SOFTWARE\\WOW6432Node\\Python
// Names match whatever their case. Nothing here changes a registry.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "facts/fact.h"

namespace plumb {

struct RegistryValue {
  std::uint32_t type = 0;  // REG_SZ 1, REG_EXPAND_SZ 2, REG_BINARY 3, REG_DWORD 4, REG_MULTI_SZ 7,
                           // REG_QWORD 11
  std::string data;        // as stored: text is UTF-16LE, numbers are little endian
};

class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  virtual ~Registry() = default;

  /// `name` "" is the key's default value. Errors: not_found (key or value), no_permission, io.
  [[nodiscard]] virtual Result<RegistryValue> value(const std::string& key,
                                                    const std::string& name) const = 0;
  /// Names of the subkeys, in the registry's order. Errors as above.
  [[nodiscard]] virtual Result<std::vector<std::string>> subkeys(const std::string& key) const = 0;
  /// Names of the values.
  [[nodiscard]] virtual Result<std::vector<std::string>> values(const std::string& key) const = 0;
};

/// One that holds nothing: of Linux, and of a mounted Windows without an export.
[[nodiscard]] std::shared_ptr<const Registry> empty_registry();
/// The running system's; empty_registry() on Linux.
[[nodiscard]] std::shared_ptr<const Registry> system_registry();
/// From the text of a .reg file ("Windows Registry Editor Version 5.00", UTF-16LE with its mark or
/// UTF-8). Lines that are not understood are left out.
[[nodiscard]] std::shared_ptr<const Registry> registry_of_export(std::string_view text);

/// Text of REG_SZ or REG_EXPAND_SZ as UTF-8, up to its first NUL; variables in it stay as written.
/// A value of another type is unreadable. The fact's origin is "KEY\\NAME".
[[nodiscard]] Fact<std::string> registry_text(const Registry& registry, const std::string& key,
                                              const std::string& name);
/// A DWORD or QWORD, or a BINARY of 4 or 8 bytes, which some drivers write instead.
[[nodiscard]] Fact<std::uint64_t> registry_number(const Registry& registry, const std::string& key,
                                                  const std::string& name);
/// REG_MULTI_SZ; a single text counts as a list of one.
[[nodiscard]] Fact<std::vector<std::string>> registry_list(const Registry& registry,
                                                           const std::string& key,
                                                           const std::string& name);
/// Subkeys, empty where the key is not there or not readable.
[[nodiscard]] std::vector<std::string> registry_subkeys(const Registry& registry,
                                                        const std::string& key);

/// "%SystemRoot%\\x" with the machine's variables; unknown ones stay as written.
[[nodiscard]] std::string expand_variables(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace plumb

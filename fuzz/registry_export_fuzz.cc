// SPDX-License-Identifier: Apache-2.0
// The text that `reg export` writes.
#include <cstdint>
#include <string_view>

#include "observe/registry.h"

namespace {

void walk(const plumb::Registry& registry, const std::string& key, int depth) {
  if (const auto names = registry.values(key)) {
    for (const std::string& name : *names) {
      static_cast<void>(plumb::registry_text(registry, key, name));
      static_cast<void>(plumb::registry_number(registry, key, name));
      static_cast<void>(plumb::registry_list(registry, key, name));
    }
  }
  if (depth < 8) {
    for (const std::string& name : plumb::registry_subkeys(registry, key)) {
      walk(registry, key + "\\" + name, depth + 1);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto registry =
      plumb::registry_of_export(std::string_view(reinterpret_cast<const char*>(data), size));
  for (const char* root : {"HKLM", "HKCU"}) {
    walk(*registry, root, 0);
  }
  return 0;
}

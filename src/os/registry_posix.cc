// SPDX-License-Identifier: Apache-2.0
#include "os/registry.h"

namespace plumb {

Result<RawRegistryValue> read_registry_value(const std::string& key, const std::string&) {
  return std::unexpected(Error{ErrorCode::not_found, "this system has no registry", key, {}});
}

Result<std::vector<std::string>> list_registry_keys(const std::string& key) {
  return std::unexpected(Error{ErrorCode::not_found, "this system has no registry", key, {}});
}

Result<std::vector<std::string>> list_registry_values(const std::string& key) {
  return std::unexpected(Error{ErrorCode::not_found, "this system has no registry", key, {}});
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The .apiset section of apisetschema.dll.
#include <cstdint>
#include <span>
#include <string>

#include "binary/api_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto sets = plumb::parse_api_sets(std::as_bytes(std::span(data, size)));
  if (sets) {
    for (const auto& [name, hosts] : *sets) {
      static_cast<void>(plumb::find_api_set(*sets, name + "-0.dll"));
      static_cast<void>(plumb::api_set_host(hosts, "kernel32.dll"));
    }
  }
  return 0;
}

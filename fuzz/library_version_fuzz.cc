// SPDX-License-Identifier: Apache-2.0
// Machine code: the first byte picks machine and system, the second the only symbol there is, the
// third its place.
#include "binary/library_version.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const plumb::MemorySource source(std::as_bytes(std::span(data + 3, size - 3)));
  const auto symbols = plumb::version_symbols();
  const std::string_view symbol = symbols[data[1] % symbols.size()];
  const auto offset_of = [&](std::string_view asked) {
    return asked == symbol ? std::optional<std::uint64_t>(data[2]) : std::nullopt;
  };
  const bool arm = data[0] % 4 == 2;
  static_cast<void>(plumb::read_library_versions(source, "", arm ? "aarch64" : "x86_64",
                                                 data[0] % 4 == 1, offset_of));
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  static_cast<void>(plumb::read_resource_versions(text, text.substr(text.size() / 2)));
  return 0;
}

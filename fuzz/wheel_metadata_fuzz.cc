// SPDX-License-Identifier: Apache-2.0
// The texts of wheels; the first byte picks which.
#include "binary/wheel.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 0) {
    if (auto metadata = plumb::parse_metadata(text)) {
      static_cast<void>(plumb::gpu_requirements(metadata->requires_dist));
      metadata->tags = metadata->provides_extra;
      compare_with_file_name(*metadata, *plumb::parse_wheel_name("a-1-py2.py3-none-any.whl"));
    }
  } else if (data[0] % 4 == 1) {
    static_cast<void>(plumb::parse_wheel_file(text));
  } else if (data[0] % 4 == 2) {
    if (const auto name = plumb::parse_wheel_name(text)) {
      static_cast<void>(name->tags());
    }
  } else if (const auto rows = plumb::parse_record(text)) {
    static_cast<void>(verify_record(*rows, {{"a", {}, 1}, {"x.dist-info/RECORD", {}, 1}}));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What a child that asked a driver library has told; the first byte picks which library.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "observe/driver_answer_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    static_cast<void>(plumb::parse_nvml_lines(text));
  } else {
    static_cast<void>(plumb::parse_cuda_driver_lines(text));
  }
  return 0;
}

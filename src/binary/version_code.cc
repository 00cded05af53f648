// SPDX-License-Identifier: Apache-2.0
#include "binary/version_code.h"

namespace plumb {

std::optional<CallingConvention> calling_convention(std::string_view machine, bool windows_abi) {
  if (machine == "x86_64") {
    return windows_abi ? CallingConvention::windows : CallingConvention::system_v;
  }
  return machine == "aarch64" ? std::optional(CallingConvention::arm64) : std::nullopt;
}

std::optional<FunctionEffect> follow_function(Bytes code, CallingConvention convention) {
  return convention == CallingConvention::arm64
             ? detail::follow_arm64(code)
             : detail::follow_x86(code, convention == CallingConvention::windows);
}

std::vector<std::int64_t> find_forwarding_calls(Bytes code, CallingConvention convention) {
  return convention == CallingConvention::arm64
             ? detail::find_forwarding_calls_arm64(code)
             : detail::find_forwarding_calls_x86(code, convention == CallingConvention::windows);
}

}  // namespace plumb

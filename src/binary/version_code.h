// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constants out of machine code, for library_version.h. Nothing is guessed from bytes that merely
// look right: either a tiny function is followed instruction by instruction to its return, or a
// constant must stand in one of few exact places. An instruction that is not known ends the
// attempt.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace plumb {

/// What a function did when its pointer arguments were not null.
struct FunctionEffect {
  std::optional<std::uint32_t> returned;
  std::optional<std::uint32_t> stored_first;   // *first_argument = ...
  std::optional<std::uint32_t> stored_second;  // *second_argument = ...
};

enum class CallingConvention : std::uint8_t { system_v, windows, arm64 };

/// Empty for a machine that nothing is known about.
[[nodiscard]] std::optional<CallingConvention> calling_convention(std::string_view machine,
                                                                  bool windows_abi);

/// Follows straight code with null checks (`if (p == nullptr) return error; *p = 12000; return 0;`)
/// from the first byte to its return. Empty if it meets anything else.
[[nodiscard]] std::optional<FunctionEffect> follow_function(Bytes code,
                                                            CallingConvention convention);

/// Where a function passes its own first argument on: targets, relative to the start of `code`, of
/// calls right after the first argument's register was loaded from a saved one.
[[nodiscard]] std::vector<std::int64_t> find_forwarding_calls(Bytes code,
                                                              CallingConvention convention);

/// x86-64: constants put into eax with nothing but an epilogue between them and the return.
[[nodiscard]] std::vector<std::uint32_t> find_returned_constants(Bytes code);
/// x86-64: constants stored to the address in a register, as `mov dword ptr [r13], imm32`, stack
/// registers left out.
[[nodiscard]] std::vector<std::uint32_t> find_stored_constants(Bytes code);

namespace detail {
[[nodiscard]] std::optional<FunctionEffect> follow_x86(Bytes code, bool windows_abi);
[[nodiscard]] std::optional<FunctionEffect> follow_arm64(Bytes code);
[[nodiscard]] std::vector<std::int64_t> find_forwarding_calls_x86(Bytes code, bool windows_abi);
[[nodiscard]] std::vector<std::int64_t> find_forwarding_calls_arm64(Bytes code);
}  // namespace detail

}  // namespace plumb

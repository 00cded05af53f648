// SPDX-License-Identifier: Apache-2.0
#pragma once
// Versions in CUDA's C headers: `#define CUDA_VERSION 13000` and the like, read as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/host_compilers.h"

namespace plumb {

/// The decimal number that a line defines `name` as; blanks may stand anywhere that C allows them.
[[nodiscard]] std::optional<std::uint64_t> defined_number(std::string_view text,
                                                          std::string_view name);

/// 13000 -> "13.0", 11080 -> "11.8"; empty for numbers that no toolkit has.
[[nodiscard]] std::optional<std::string> cuda_version_of_number(std::uint64_t number);

/// "PREFIX_MAJOR", "PREFIX_MINOR" and `last` of one header as "9.14.0"; empty without a major.
[[nodiscard]] std::optional<std::string> three_part_version(std::string_view text,
                                                            std::string_view major,
                                                            std::string_view minor,
                                                            std::string_view last);

/// include/crt/host_config.h (host_config.h up to 8.0) of every toolkit since 9:
///   #if _MSC_VER < 1920 || _MSC_VER >= 1950
///   #if __GNUC__ > 15
///   #if (__clang_major__ >= 21) || (__clang_major__ < 3) ...
/// Limits for other compilers that call themselves clang (Grace) are passed over.
[[nodiscard]] HostCompilerLimits parse_host_config(std::string_view text);

}  // namespace plumb

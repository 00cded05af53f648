// SPDX-License-Identifier: Apache-2.0
#pragma once
// How ld.so reads what names folders: lists with their separators, empty and relative elements,
// $ORIGIN, $LIB and $PLATFORM.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/linux_process.h"

namespace plumb {

/// "/usr/lib" of "/usr/lib/libz.so.1", "/" of "/x", "" of "x".
[[nodiscard]] std::string_view folder_of(std::string_view path);
[[nodiscard]] std::string path_in(const std::string& folder, std::string_view name);
[[nodiscard]] std::string absolute_path(const LinuxSettings& settings, const std::string& path);

/// The elements of a list; empty ones too.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text,
                                                  std::string_view separators);

/// `text` with what stands behind $ORIGIN, $LIB and $PLATFORM where `object` says it. Empty: it
/// names one whose value is not known, so ld.so drops the whole.
[[nodiscard]] std::optional<std::string> expand_tokens(std::string_view text,
                                                       const LinuxObject& object,
                                                       const LinuxSettings& settings,
                                                       FileView& files);

/// The folders that a list names, each once, in order. `list` is the RPATH or RUNPATH of `owner`,
/// or LD_LIBRARY_PATH, whose $ORIGIN is the program's.
[[nodiscard]] std::vector<LinuxPlace> places_of(std::string_view list, LoadRule rule,
                                                const LinuxObject& owner,
                                                const LinuxSettings& settings, FileView& files);

}  // namespace plumb

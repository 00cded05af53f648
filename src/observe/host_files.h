// SPDX-License-Identifier: Apache-2.0
#pragma once
// The small files in which a system tells about itself, as facts. Paths are absolute on the machine
// looked at, with '/'; facts carry them as origin.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "observe/host.h"
#include "os/file.h"

namespace plumb {

/// The first line without blanks around it; absent if the file is not there.
[[nodiscard]] Fact<std::string> line_fact(const Host& host, const std::string& path);
/// A decimal number that is all of the file.
[[nodiscard]] Fact<std::uint64_t> number_fact(const Host& host, const std::string& path);
/// Entries of a folder; none where it is not there or cannot be read.
[[nodiscard]] std::vector<DirectoryEntry> entries_of(const Host& host, const std::string& folder);
/// Anything of that name, links followed.
[[nodiscard]] bool exists(const Host& host, const std::string& path);
/// Whether anything of that name is there; unreadable where the system does not say.
[[nodiscard]] Fact<bool> existence_fact(const Host& host, const std::string& path);

/// A fact that holds no value because of `error`: absent if that is not_found, else unreadable.
template <class T>
[[nodiscard]] Fact<T> fact_of_error(const Error& error, const std::string& origin) {
  return error.code == ErrorCode::not_found ? Fact<T>::absent(origin)
                                            : Fact<T>::unreadable(error, origin);
}

/// The same fact without its value, in another type: what was not there is not there, what could
/// not be read could not be read. Requires: `fact` has no value.
template <class T, class U>
[[nodiscard]] Fact<T> without_value(const Fact<U>& fact) {
  return {{}, fact.origin, fact.fault};
}

/// Orders "6.8.0-9" before "6.8.0-45": runs of digits as numbers, the rest as bytes.
[[nodiscard]] bool natural_less(std::string_view left, std::string_view right);

}  // namespace plumb

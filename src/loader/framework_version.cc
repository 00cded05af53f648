// SPDX-License-Identifier: Apache-2.0
#include "loader/framework_version.h"

#include <charconv>
#include <system_error>

namespace plumb {

Release parse_release(std::string_view version) {
  Release release;
  const char* at = version.data();
  const char* const end = at + version.size();
  for (unsigned* part : {&release.major, &release.minor, &release.patch}) {
    const auto read = std::from_chars(at, end, *part);
    if (read.ec != std::errc{}) {
      *part = 0;
      break;
    }
    at = read.ptr;
    if (at == end || *at != '.') {
      return release;
    }
    ++at;
  }
  if (at == version.data()) {
    release.major = ~0U;
  }
  return release;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_dll.h"

#include "base/text.h"
#include "binary/pe.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {

Fact<std::string> dll_version(const std::string& path, const std::string& origin) {
  const auto file = open_file(path);
  if (!file) {
    return fact_of_error<std::string>(file.error(), origin);
  }
  const auto pe = read_pe(**file, {});
  if (!pe) {
    return Fact<std::string>::unreadable(Error(pe.error()).in(origin), origin);
  }
  return pe->file_version
             ? Fact<std::string>::present(*pe->file_version, origin)
             : Fact<std::string>::unreadable(
                   {ErrorCode::malformed, "has no version resource", origin, {}}, origin);
}

bool is_nvidia_store_folder(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  return lower.starts_with("nv") && (lower.find(".inf_amd64_") != std::string::npos ||
                                     lower.find(".inf_arm64_") != std::string::npos);
}

}  // namespace plumb

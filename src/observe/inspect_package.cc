// SPDX-License-Identifier: Apache-2.0
#include "observe/inspect_package.h"

#include "base/text.h"
#include "observe/inspect_wheel.h"

namespace plumb {

bool is_package_name(std::string_view path) {
  return ends_with_nocase(path, ".whl") || ends_with_nocase(path, ".conda") ||
         ends_with_nocase(path, ".tar.bz2");
}

Inspection inspect_package(const std::string& path, const Source& source,
                           const InspectOptions& options) {
  if (ends_with_nocase(path, ".whl")) {
    return inspect_wheel(path, source, options);
  }
  Inspection result;
  result.errors.push_back(
      {path, "", Error{ErrorCode::unsupported, "conda packages are not read yet", {}, {}}});
  return result;
}

void unite_gpu_code(BinaryFacts& package, std::span<const InspectedFile> members) {
  GpuCode& all = package.gpu;
  for (const InspectedFile& member : members) {
    const GpuCode& code = member.facts.gpu;
    const auto shift = static_cast<std::uint32_t>(all.images.size());
    all.images.insert(all.images.end(), code.images.begin(), code.images.end());
    for (GpuContainer container : code.containers) {
      container.offset = 0;
      container.place = 0;
      container.first_image += shift;
      all.containers.push_back(container);
    }
  }
  if (!all.containers.empty()) {
    all.places = {""};
  }
}

}  // namespace plumb

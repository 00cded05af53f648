// SPDX-License-Identifier: Apache-2.0
#include "loader/framework_import.h"

#include <algorithm>

namespace plumb {

bool FrameworkImport::import_module(const std::string& folder, std::string_view name,
                                    Wanted wanted) {
  const std::string path = finder_.extension_module(in_site(folder), name);
  if (!path.empty()) {
    return import_module(path, wanted);
  }
  if (wanted == Wanted::required && moment_ == LoadMoment::import) {
    std::string dotted = folder + "." + std::string(name);
    std::ranges::replace(dotted, '/', '.');
    fail_import("No module named '" + dotted + "'", in_site(folder + "/" + std::string(name)),
                in_site(folder));
  }
  return false;
}

void FrameworkImport::forget_last_request() {
  if (!load_.requests.empty()) {
    load_.requests.pop_back();
  }
}

void FrameworkImport::fail_import(std::string fault, std::string missing, std::string wanted_by) {
  if (!load_.failed) {
    load_.failed = true;
    load_.fault = std::move(fault);
    load_.missing = std::move(missing);
    load_.wanted_by = std::move(wanted_by);
  }
}

std::string FrameworkImport::in_site(std::string_view relative) const {
  return finder_.join(framework_.site, relative);
}

}  // namespace plumb

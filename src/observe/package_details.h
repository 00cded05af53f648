// SPDX-License-Identifier: Apache-2.0
#pragma once
// The packages of the environment in force in detail.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "facts/machine.h"
#include "facts/python_packages.h"
#include "observe/host.h"

namespace plumb {

/// `distributions` as list_distributions() gives them for `environment`.
[[nodiscard]] PackageDetails observe_package_details(
    const Host& host, const PythonEnvironment& environment,
    const std::vector<Distribution>& distributions);

/// Builds of one thing that are installed side by side.
[[nodiscard]] std::vector<VariantGroup> find_variants(
    const std::vector<Distribution>& distributions);

/// direct_url.json; malformed if it is no object with a URL.
[[nodiscard]] Result<InstallOrigin> parse_direct_url(std::string_view text);

}  // namespace plumb

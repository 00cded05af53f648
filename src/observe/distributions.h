// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is installed in an environment, from the folders that installers leave beside the packages.
// Names and versions come from the folders' names; METADATA is opened for GPU packages only, so a
// thousand others cost one directory listing.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/machine.h"

namespace plumb {

/// Of one name in several folders the first counts, as for Python's import. What is damaged goes to
/// `errors`, and what is known of it all the same into the list. Sorted by name.
[[nodiscard]] std::vector<Distribution> list_distributions(
    const std::vector<std::string>& site_packages, std::vector<Error>& errors);

/// Fills `requires_dist`, which is read for GPU packages only, from METADATA.
void read_requirements(Distribution& distribution, std::vector<Error>& errors);
/// The same for all of them; what cannot be read requires nothing.
void read_requirements(std::vector<Distribution>& distributions);

/// From the file names in ROOT/conda-meta; empty for other environments.
[[nodiscard]] std::vector<CondaPackage> list_conda_packages(const std::string& root);

struct InfoName {
  std::string name;
  std::string version;
};

/// "torch-2.14.1.dist-info" -> torch, 2.14.1; also "name-1.0-py3.12.egg-info", in any case of the
/// ending, as for Python's importlib. Empty for other names, for leftovers ("~orch-2.1.dist-info":
/// pip's rename before an uninstall that failed) and where no version is told.
[[nodiscard]] std::optional<InfoName> parse_info_name(std::string_view folder);

/// One of kGpuProjects; `normalized` as by normalize_project_name().
[[nodiscard]] bool is_gpu_project(std::string_view normalized);

}  // namespace plumb

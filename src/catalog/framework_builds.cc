// SPDX-License-Identifier: Apache-2.0
#include "catalog/framework_builds.h"

#include <algorithm>
#include <tuple>

#include "catalog/embedded.h"
#include "catalog/table.h"

namespace plumb {
namespace {

std::vector<FrameworkBuild> load() {
  const Catalog& catalog = Catalog::builtin();
  std::vector<FrameworkBuild> builds;
  for_each_row(embedded::frameworks_json, [&](const Row& row) {
    FrameworkBuild build;
    build.package = row.text("package");
    build.version = row.text("version");
    build.system = row.text("system");
    build.cuda = row.text("cuda");
    build.spec = row.text("spec");
    build.index_option = row.text("index_option");
    build.index = row.text("index");
    build.pypi = row.flag("pypi");
    build.python = row.texts("python");
    build.driver = row.text("driver");
    build.sass = row.capabilities("sass");
    build.ptx = row.capabilities("ptx");
    build.above = ComputeCapability::parse(row.text("min_cc_stated"));
    const std::vector<std::string> unverified = row.texts("unverified");
    const auto doubts = [&unverified](const char* field) {
      return std::ranges::find(unverified, field) != unverified.end();
    };
    build.verified = !doubts("version") && !doubts("variant");
    const CudaDrivers* drivers = catalog.find_cuda(build.cuda);
    if (drivers != nullptr && (build.driver.empty() || doubts("driver"))) {
      build.driver = build.system == "windows" ? drivers->min_windows : drivers->min_linux;
    }
    builds.push_back(std::move(build));
  });
  return builds;
}

struct Service {
  bool runs = false;
  bool known = false;
  std::string by;
  bool by_ptx = false;
};

/// Whether the CUDA version of a build knows the card at all.
bool cuda_knows(const FrameworkBuild& build, ComputeCapability card, const Catalog& catalog) {
  const Architecture* architecture = catalog.find_architecture(card);
  const auto cuda = Version::parse(build.cuda);
  if (architecture == nullptr || !cuda) {
    return false;
  }
  const auto first = Version::parse(architecture->first_cuda);
  const auto last = Version::parse(architecture->last_cuda);
  return first && *first <= *cuda && (!last || *cuda <= *last);
}

Service serves(const FrameworkBuild& build, ComputeCapability card, const Catalog& catalog) {
  if (build.sass.empty()) {
    // Only its maker's word: "compute capability more than".
    return {
        build.above && card >= *build.above && cuda_knows(build, card, catalog), false, {}, false};
  }
  Service service{false, true, {}, false};
  for (const ComputeCapability built : build.sass) {
    if (catalog.sass_runs_on(built, card)) {
      service.runs = true;
      service.by = built.text();  // ascending: the nearest one stays
    }
  }
  for (const ComputeCapability built : build.ptx) {
    if (!service.runs && built <= card) {
      service = {true, true, built.text(), true};
    }
  }
  return service;
}

bool has_python(const FrameworkBuild& build, const std::string& python) {
  return python.empty() || build.python.empty() ||
         std::ranges::find(build.python, python) != build.python.end();
}

}  // namespace

std::string FrameworkBuild::pip_arguments() const {
  const std::string quoted =
      spec.find('[') == std::string::npos ? spec : "\"" + spec + "\"";  // shells expand brackets
  return pypi || index.empty() ? quoted : quoted + " " + index_option + " " + index;
}

const std::vector<FrameworkBuild>& framework_builds() {
  static const std::vector<FrameworkBuild> builds = load();
  return builds;
}

std::optional<BuildChoice> choose_build(const BuildWish& wish, const Catalog& catalog) {
  using Rank = std::tuple<bool, bool, Version, Version, bool>;
  std::optional<BuildChoice> best;
  Rank best_rank;
  for (const FrameworkBuild& build : framework_builds()) {
    const auto version = Version::parse(build.version);
    const auto cuda = Version::parse(build.cuda);
    const auto needs = Version::parse(build.driver);
    if (build.package != wish.package || build.system != wish.system || !version || !cuda ||
        !has_python(build, wish.python) || (wish.driver && (!needs || *wish.driver < *needs))) {
      continue;
    }
    Service service{true, true, {}, false};
    if (wish.card) {
      service = serves(build, *wish.card, catalog);
    }
    if (!service.runs) {
      continue;
    }
    const Rank rank{build.verified && service.known && !service.by_ptx,
                    build.version == wish.version, *version, *cuda, build.pypi};
    if (!best || best_rank < rank) {
      best = BuildChoice{&build, service.by, service.by_ptx};
      best_rank = rank;
    }
  }
  return best;
}

std::string newest_gpu_version(std::string_view package, std::string_view system) {
  std::string newest;
  for (const FrameworkBuild& build : framework_builds()) {
    const auto version = Version::parse(build.version);
    if (build.package == package && build.system == system && !build.cuda.empty() && version &&
        (newest.empty() || *Version::parse(newest) < *version)) {
      newest = build.version;
    }
  }
  return newest;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which published build of a framework fits a card, a driver, a system and a Python: look-ups in
// data/frameworks.json.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace plumb {

struct FrameworkBuild {
  std::string package;       // "torch"
  std::string version;       // "2.14.1"
  std::string system;        // "linux", "windows"
  std::string cuda;          // "13.0"; "" = the CPU build
  std::string spec;          // what to ask pip for: "torch==2.14.1"
  std::string index_option;  // "--index-url"; "" = PyPI
  std::string index;
  bool pypi = false;                    // the plain name on PyPI gives this build
  std::vector<std::string> python;      // "3.12", "3.14t"; empty = not known
  std::string driver;                   // oldest driver; never empty where `cuda` is known
  std::vector<ComputeCapability> sass;  // empty = not known
  std::vector<ComputeCapability> ptx;
  std::optional<ComputeCapability> above;  // serves cards from here on, as its maker states it
  bool verified = true;  // false: somebody's word that plumb's makers could not confirm

  /// The pip arguments after "pip install".
  [[nodiscard]] std::string pip_arguments() const;
};

/// GPU builds and, on Windows, the CPU builds that PyPI gives.
[[nodiscard]] const std::vector<FrameworkBuild>& framework_builds();

struct BuildWish {
  std::string package;
  std::string system;
  std::optional<ComputeCapability> card;  // empty: any
  std::optional<Version> driver;          // empty: any
  std::string python;                     // "3.12"; "" = any
  std::string version;                    // taken before others if it fits
};

struct BuildChoice {
  const FrameworkBuild* build = nullptr;
  std::string serves_by;  // "8.6": the code in it that runs on the card; "" = only stated
  bool by_ptx = false;
};

/// The GPU build to install: one that is verified and known to hold
/// code that runs as built before others, then the
/// wished version, then the newest version, then the newest CUDA. Final releases only.
[[nodiscard]] std::optional<BuildChoice> choose_build(const BuildWish& wish,
                                                      const Catalog& catalog);

/// The newest version with a GPU build for `system`; "" if there never was one. For "TensorFlow has
/// none for Windows after 2.10".
[[nodiscard]] std::string newest_gpu_version(std::string_view package, std::string_view system);

}  // namespace plumb

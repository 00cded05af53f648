// SPDX-License-Identifier: Apache-2.0
#pragma once
// GPU code summed up by target, as both the JSON and the text report show it.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "binary/gpu_code.h"

namespace plumb {

struct TargetCount {
  std::uint64_t images = 0;
  std::uint64_t empty = 0;
  std::set<std::pair<int, int>> isas;  // of PTX
};

struct PlaceCount {
  std::string name;
  std::uint64_t containers = 0;
  std::uint64_t first_offset = 0;
};

struct GpuTargets {
  std::map<Target, TargetCount> sass, ptx, lto;  // sorted by number, then suffix
  std::vector<PlaceCount> places;                // in file order
};

[[nodiscard]] GpuTargets sum_up(const GpuCode& code);

}  // namespace plumb

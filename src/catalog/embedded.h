// SPDX-License-Identifier: Apache-2.0
#pragma once
// data/*.json as they lie in the tree; cmake/embed.cmake makes the definitions.

#include <string_view>

namespace plumb::embedded {

extern const std::string_view architectures_json;
extern const std::string_view cuda_libraries_json;
extern const std::string_view cuda_toolkits_json;
extern const std::string_view drivers_json;
extern const std::string_view frameworks_json;
extern const std::string_view gpus_json;
extern const std::string_view indexes_json;
extern const std::string_view ptx_isa_json;

}  // namespace plumb::embedded

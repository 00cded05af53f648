// SPDX-License-Identifier: Apache-2.0
#pragma once
// Job schedulers, Jetson boards, virtual cards.

#include <optional>
#include <string>
#include <string_view>

#include "facts/container_state.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] JobState observe_jobs(const Host& host);
[[nodiscard]] BoardState observe_board(const Host& host);

/// "# R35 (release), REVISION: 4.1, GCID: ..." -> "35.4.1"
[[nodiscard]] std::optional<std::string> parse_tegra_release(std::string_view text);

}  // namespace plumb

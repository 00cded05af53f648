// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which NVIDIA cards the PCI bus shows. Asks no driver and wakes no card. Under WSL the bus shows
// none whatever the machine has.

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// The cards of NVIDIA's among all.
[[nodiscard]] std::vector<SeenCard> nvidia_cards(const HardwareFacts& hardware);

/// "linux" or "windows", WSL, container; what all later judgement hangs on.
[[nodiscard]] SystemFacts observe_system(const Host& host);

}  // namespace plumb

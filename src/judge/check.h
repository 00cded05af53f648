// SPDX-License-Identifier: Apache-2.0
#pragma once
// From what was seen of a machine to one answer: the layers from the card up to the frameworks, and
// what is out of line. The lowest broken layer leads; what stands above it waits for it. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "facts/machine.h"
#include "judge/finding.h"
#include "judge/verdict.h"

namespace plumb {

enum class LayerState : std::uint8_t {
  ok,
  look,     // works, but look
  broken,   // does not work
  unknown,  // could not be read
  absent,   // not there and not needed
  waits,    // nothing wrong with it but a layer below
};
/// "ok", "warning", "broken", "unknown", "absent"; what a layer that waits would do nobody knows.
[[nodiscard]] std::string_view layer_state_name(LayerState state);

struct Layer {
  std::string name;  // "hardware", "driver", "toolkit", "python", a framework, "cuDNN"
  LayerState state = LayerState::ok;
  std::string text;
  std::string detail;      // for --verbose: whole paths, where it was read
  bool extension = false;  // of a framework: shown together with others while all is well
};

struct CheckQuestion {
  std::vector<Card> cards;  // --gpu; empty: those of the machine
};

struct CheckReport {
  std::string verdict;  // the answer, one sentence
  LayerState state = LayerState::ok;
  std::vector<Layer> layers;    // lowest first
  std::vector<Finding> causes;  // the one that leads first
  bool complete = true;         // false: something that the answer needs could not be read
};

[[nodiscard]] CheckReport judge_check(const MachineFacts& machine, const CheckQuestion& question,
                                      const Catalog& catalog);

}  // namespace plumb

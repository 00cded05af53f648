// SPDX-License-Identifier: Apache-2.0
#include "judge/finding.h"

#include "judge/check.h"

namespace plumb {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

std::string_view certainty_name(Certainty certainty) {
  switch (certainty) {
    case Certainty::proven:
      return "proven";
    case Certainty::likely:
      return "likely";
    case Certainty::possible:
      break;
  }
  return "possible";
}

std::string_view layer_state_name(LayerState state) {
  switch (state) {
    case LayerState::ok:
      return "ok";
    case LayerState::look:
      return "warning";
    case LayerState::broken:
      return "broken";
    case LayerState::unknown:
      return "unknown";
    case LayerState::absent:
      return "absent";
    case LayerState::waits:
      break;
  }
  return "unknown";
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads what the child told (driver_asker.h has the lines). The text is foreign: a driver library
// may have printed between the lines or written over the child's memory. What is no line of ours is
// passed over, a value of the wrong shape makes that fact unreadable, and lists are bounded.

#include <string_view>

#include "facts/driver_answers.h"

namespace plumb {

/// `library.state` is ok or init_failed if the child told to its end, load_failed if it said so,
/// else no_answer: who ran the child knows what ended it.
[[nodiscard]] NvmlAnswers parse_nvml_lines(std::string_view text);
[[nodiscard]] CudaDriverAnswers parse_cuda_driver_lines(std::string_view text);

}  // namespace plumb

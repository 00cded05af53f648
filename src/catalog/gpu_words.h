// SPDX-License-Identifier: Apache-2.0
#pragma once
// A GPU's name taken apart, so that names can be compared whatever the spelling: "rtx2080TI",
// "GeForce RTX 2080 Ti" and "2080 ti" have the same essential words.

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct GpuWords {
  std::vector<std::string>
      essential;  // "2080", "ti"; "a100"; "titan", "v": another word, another card
  std::vector<std::string> qualifiers;  // "80gb", "pcie", "ada", "oem": variants of one card
  std::vector<std::string> series;      // "rtx", "gtx", "gt"
  std::vector<std::string> brands;      // "geforce", "quadro", "tesla"
  bool laptop = false;                  // "Laptop", "Mobile", "Notebook"
  bool max_q = false;
  std::string spelled;  // series, essential words and qualifiers in their order: "rtx2080ti"
};

/// All lists sorted, each word once. Text may be anything; only its first 128 bytes count.
[[nodiscard]] GpuWords parse_gpu_words(std::string_view text);

/// "80gb", "sxm4", "pcie" ...: a matter of the board, which may be left out or added freely.
[[nodiscard]] bool is_board_word(std::string_view word);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is wrong with a machine, as a value: a permanent code, how sure it is, the facts it rests on
// and what to do. Text in it is English as made by check_words.h; nothing here prints.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

enum class Severity : std::uint8_t {
  error,    // it does not work
  warning,  // it works, but not as it should
  note,     // worth knowing
};

enum class Certainty : std::uint8_t {
  proven,    // facts on this machine say so
  likely,    // what was seen has hardly another reason
  possible,  // it may be
};

[[nodiscard]] std::string_view severity_name(Severity severity);
[[nodiscard]] std::string_view certainty_name(Certainty certainty);

struct Evidence {
  std::string text;
  std::string origin;  // where it was read; "" if the text says it
};

struct Step {
  std::string text;        // a command to paste, or a sentence
  std::string note;        // why, or what it brings; "" if plain
  bool is_command = true;  // never wrapped
};

struct Finding {
  std::string code;   // permanent, names the fault: "driver.too_old"
  std::string layer;  // "hardware", "driver", "python", "torch" ...
  Severity severity = Severity::error;
  Certainty certainty = Certainty::proven;
  std::string summary;  // one sentence with its subject, lower case, no full stop
  std::string why;      // two lines at most
  std::vector<Evidence> evidence;
  std::vector<Step> next;
  std::string in_vain;  // what people try here without effect; "" if nothing
};

}  // namespace plumb

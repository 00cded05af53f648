// SPDX-License-Identifier: Apache-2.0
#pragma once
// What plumb could not do. An Error is about plumb ("this file is cut off"); a finding is about the
// machine
// ("this driver is too old"); the two never mix.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// Permanent names: they are printed in JSON (`errors[].code`), see error_code_name().
enum class ErrorCode {
  not_found,      // no such file, member or device
  no_permission,  // the system says no
  io,             // the system failed while reading or writing
  changed,        // the file shrank or changed while it was read
  special_file,   // FIFO, device, socket: never opened
  loop,           // a symlink loop, or a structure that refers to itself
  truncated,      // the file ends before something it promises
  malformed,      // the bytes contradict the format or themselves
  unsupported,    // a valid shape that plumb does not read
  encrypted,      // a password is needed
  limit,          // more than plumb is willing to read (bombs, 10^6 sections)
  mismatch,       // a checksum or recorded size disagrees with the bytes
  not_binary,     // nothing that `inspect` knows
  usage,          // the command line is wrong
  internal,       // a defect of plumb itself
};

[[nodiscard]] std::string_view error_code_name(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;   // lower case, no full stop: "section table ends past the end of the file"
  std::string where;  // the file (or "wheel: member"); filled in by whoever knows it
  std::vector<std::string> hints;  // what the user can do, one command each

  /// "while doing X: what" - each layer says what it was doing.
  [[nodiscard]] Error while_doing(std::string_view action) && {
    what = std::string(action) + ": " + what;
    return std::move(*this);
  }
  [[nodiscard]] Error in(std::string_view place) && {
    if (where.empty()) {
      where = place;
    }
    return std::move(*this);
  }
};

/// The program's exit codes, the same for every command.
enum class ExitCode : int { clean = 0, findings = 1, usage = 2, incomplete = 3, interrupted = 130 };

}  // namespace plumb

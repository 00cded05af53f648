// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace plumb {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::no_permission:
      return "no_permission";
    case ErrorCode::io:
      return "io";
    case ErrorCode::changed:
      return "changed";
    case ErrorCode::special_file:
      return "special_file";
    case ErrorCode::loop:
      return "loop";
    case ErrorCode::truncated:
      return "truncated";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::encrypted:
      return "encrypted";
    case ErrorCode::limit:
      return "limit";
    case ErrorCode::mismatch:
      return "mismatch";
    case ErrorCode::not_binary:
      return "not_binary";
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::internal:
      break;
  }
  return "internal";
}

}  // namespace plumb

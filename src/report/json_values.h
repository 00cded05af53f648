// SPDX-License-Identifier: Apache-2.0
#pragma once
// Foreign text and errors as JSON, the same in every report.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "facts/json_fields.h"

namespace plumb {

inline Json clean(std::string_view text) {
  return printable(text);
}

inline Json or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : clean(text);
}

inline Json clean_list(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) {
    list.push_back(clean(text));
  }
  return list;
}

inline Json error_json(const Error& error) {
  return {{"path", clean(error.where)},
          {"code", std::string(error_code_name(error.code))},
          {"message", clean(error.what)}};
}

}  // namespace plumb

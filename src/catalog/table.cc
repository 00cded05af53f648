// SPDX-License-Identifier: Apache-2.0
#include "catalog/table.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace plumb {
namespace {

using Json = nlohmann::json;

const Json* find(const void* row, const char* field) {
  const Json& json = *static_cast<const Json*>(row);
  const auto found = json.find(field);
  return found == json.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> to_number(const Json& value) {
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return value.get<std::uint32_t>();
}

}  // namespace

std::string Row::text(const char* field) const {
  const Json* value = find(json_, field);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<std::string> Row::texts(const char* field) const {
  std::vector<std::string> result;
  if (const Json* value = find(json_, field); value != nullptr && value->is_array()) {
    for (const Json& element : *value) {
      if (element.is_string()) {
        result.push_back(element.get<std::string>());
      }
    }
  }
  return result;
}

std::vector<std::uint32_t> Row::numbers(const char* field) const {
  std::vector<std::uint32_t> result;
  if (const Json* value = find(json_, field); value != nullptr && value->is_array()) {
    for (const Json& element : *value) {
      if (const auto number = to_number(element)) {
        result.push_back(*number);
      }
    }
  }
  return result;
}

std::optional<std::uint32_t> Row::number(const char* field) const {
  const Json* value = find(json_, field);
  return value == nullptr ? std::nullopt : to_number(*value);
}

bool Row::flag(const char* field) const {
  const Json* value = find(json_, field);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::vector<ComputeCapability> Row::capabilities(const char* field) const {
  std::vector<ComputeCapability> result;
  for (const std::string& text : texts(field)) {
    if (const auto cc = ComputeCapability::parse(text)) {
      result.push_back(*cc);
    }
  }
  return result;
}

void for_each_row(std::string_view table, const std::function<void(const Row&)>& take) {
  const Json json = Json::parse(table, nullptr, false);
  if (!json.is_object() || !json.contains("rows")) {
    return;
  }
  for (const Json& row : json["rows"]) {
    if (row.is_object()) {
      take(Row(&row));
    }
  }
}

}  // namespace plumb

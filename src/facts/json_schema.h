// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shape of facts as a JSON Schema (2020-12), made from fields() itself, so that it cannot be
// out of date.

#include "facts/json_fields.h"

namespace plumb {

namespace json_fields {

class SchemaWriter {
 public:
  template <class T>
  void operator()(std::string_view name, const T&) {
    properties_[std::string(name)] = schema_of<T>();
  }

  template <class T>
  [[nodiscard]] static Json schema_of() {
    if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {{"type", "number"}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "integer"}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_enum_v<T>) {
      return {{"enum", enum_names(T{})}};
    } else if constexpr (IsVector<T>::value) {
      return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
    } else if constexpr (IsMap<T>::value) {
      return {{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>()}};
    } else if constexpr (IsOptional<T>::value) {
      return {{"anyOf", {schema_of<typename T::value_type>(), Json{{"type", "null"}}}}};
    } else if constexpr (IsFact<T>::value) {
      Json properties = {{"value", schema_of<decltype(T{}.value)>()},
                         {"origin", {{"type", "string"}}},
                         {"error", {{"$ref", "#/$defs/error"}}}};
      return {{"type", "object"},
              {"required", {"value", "origin"}},
              {"properties", std::move(properties)}};
    } else if constexpr (std::is_same_v<T, Error>) {
      return {{"$ref", "#/$defs/error"}};
    } else {
      SchemaWriter writer;
      const T value;
      fields(writer, value);
      return {{"type", "object"}, {"properties", std::move(writer.properties_)}};
    }
  }

 private:
  Json properties_ = Json::object();
};

}  // namespace json_fields

template <class T>
[[nodiscard]] Json json_schema(std::string_view title) {
  Json schema = json_fields::SchemaWriter::schema_of<T>();
  schema["title"] = title;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["$defs"]["error"] = {{"type", "object"},
                              {"properties",
                               {{"code", {{"type", "string"}}},
                                {"message", {{"type", "string"}}},
                                {"path", {{"type", "string"}}},
                                {"hints", {{"type", "array"}, {"items", {{"type", "string"}}}}}}}};
  return schema;
}

}  // namespace plumb

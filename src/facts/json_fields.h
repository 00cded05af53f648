// SPDX-License-Identifier: Apache-2.0
#pragma once
// fields() of facts as JSON and back. A Fact is {"value", "origin"} with "error" where it could not
// be read; an Error is {"code", "message", "path", "hints"}; an enum is its name.
//
// Reading trusts nothing: the first part of another shape than expected ends it with an error that
// names the part ("machine.cards.2.device: a number is expected").

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

using Json = nlohmann::ordered_json;

namespace json_fields {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsFact : std::false_type {};
template <class T>
struct IsFact<Fact<T>> : std::true_type {};

class Writer {
 public:
  template <class T>
  void operator()(std::string_view name, const T& value) {
    // The names of one struct differ: no need to look for each among those before it.
    object_.get_ref<Json::object_t&>().emplace_back(std::string(name), json_of(value));
  }

  template <class T>
  [[nodiscard]] static Json json_of(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_same_v<T, std::string>) {
      // Bytes that are no text are escaped: JSON is text.
      return is_utf8(value) ? Json(value) : Json(printable(value));
    } else if constexpr (std::is_enum_v<T>) {
      return enum_names(value).at(static_cast<std::size_t>(value));
    } else if constexpr (IsVector<T>::value) {
      Json list = Json::array();
      for (const auto& item : value) {
        list.push_back(json_of(item));
      }
      return list;
    } else if constexpr (IsMap<T>::value) {
      Json object = Json::object();
      for (const auto& [key, item] : value) {
        object[is_utf8(key) ? key : printable(key)] = json_of(item);
      }
      return object;
    } else if constexpr (IsOptional<T>::value) {
      return value ? json_of(*value) : Json(nullptr);
    } else if constexpr (IsFact<T>::value) {
      Json fact = {{"value", json_of(value.value)}, {"origin", json_of(value.origin)}};
      if (value.fault) {
        fact["error"] = json_of(*value.fault);
      }
      return fact;
    } else if constexpr (std::is_same_v<T, Error>) {
      return {{"code", std::string(error_code_name(value.code))},
              {"message", json_of(value.what)},
              {"path", json_of(value.where)},
              {"hints", json_of(value.hints)}};
    } else {
      Writer writer;
      fields(writer, value);
      return std::move(writer.object_);
    }
  }

 private:
  Json object_ = Json::object();
};

[[nodiscard]] ErrorCode error_code_of(std::string_view name);

/// Walks over one object; the first fault stays.
class Reader {
 public:
  Reader(const Json& object, const Reader* parent, std::string_view place, std::string& fault)
      : object_(object), parent_(parent), place_(place), fault_(fault) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    const auto hit = object_.find(name);
    if (fault_.empty() && hit != object_.end() && !hit->is_null()) {
      read(*hit, name, value);
    }
  }

  template <class T>
  void read(const Json& json, std::string_view name, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (expect(json.is_boolean(), name, "true or false")) {
        value = json.get<bool>();
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      if (expect(json.is_number(), name, "a number")) {
        value = json.get<T>();
      }
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(json, name, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (expect(json.is_string(), name, "a text")) {
        value = json.get_ref<const std::string&>();
      }
    } else if constexpr (std::is_enum_v<T>) {
      read_enum(json, name, value);
    } else if constexpr (IsVector<T>::value) {
      if (expect(json.is_array(), name, "a list")) {
        value.clear();
        Reader list(json, this, name, fault_);
        for (std::size_t i = 0; i < json.size() && fault_.empty(); ++i) {
          list.read(json[i], std::to_string(i), value.emplace_back());
        }
      }
    } else if constexpr (IsMap<T>::value) {
      if (expect(json.is_object(), name, "an object")) {
        Reader object(json, this, name, fault_);
        for (const auto& [key, item] : json.items()) {
          object.read(item, key, value[key]);
        }
      }
    } else if constexpr (IsOptional<T>::value) {
      read(json, name, value.emplace());
    } else if constexpr (IsFact<T>::value) {
      if (expect(json.is_object(), name, "an object")) {
        Reader fact(json, this, name, fault_);
        fact("value", value.value);
        fact("origin", value.origin);
        fact("error", value.fault);
      }
    } else if constexpr (std::is_same_v<T, Error>) {
      if (expect(json.is_object(), name, "an object")) {
        Reader error(json, this, name, fault_);
        std::string code;
        error("code", code);
        error("message", value.what);
        error("path", value.where);
        error("hints", value.hints);
        value.code = error_code_of(code);
      }
    } else if (expect(json.is_object(), name, "an object")) {
      Reader part(json, this, name, fault_);
      fields(part, value);
    }
  }

 private:
  [[nodiscard]] std::string path(std::string_view name) const {
    std::string text(name);
    for (const Reader* each = this; each != nullptr && !each->place_.empty();
         each = each->parent_) {
      text = std::string(each->place_) + "." + text;
    }
    return text;
  }

  bool expect(bool holds, std::string_view name, std::string_view what) {
    if (!holds && fault_.empty()) {
      fault_ = path(name) + ": " + std::string(what) + " is expected";
    }
    return holds;
  }

  template <class T>
  void read_integer(const Json& json, std::string_view name, T& value) {
    using Limits = std::numeric_limits<T>;
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (expect(number <= static_cast<std::uint64_t>(Limits::max()), name, "a smaller number")) {
        value = static_cast<T>(number);
      }
    } else if (expect(json.is_number_integer(), name, "a whole number")) {
      const auto number = json.get<std::int64_t>();
      if (expect(std::is_signed_v<T> && std::in_range<T>(number), name,
                 "a number that is not so low")) {
        value = static_cast<T>(number);
      }
    }
  }

  template <class T>
  void read_enum(const Json& json, std::string_view name, T& value) {
    if (!expect(json.is_string(), name, "a text")) {
      return;
    }
    const std::string& text = json.get_ref<const std::string&>();
    const auto names = enum_names(value);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        value = static_cast<T>(i);
        return;
      }
    }
    expect(false, name, "another word than \"" + printable(text.substr(0, 40)) + "\"");
  }

  const Json& object_;
  const Reader* parent_;
  std::string_view place_;
  std::string& fault_;
};

}  // namespace json_fields

/// Any value with fields() as JSON.
template <class T>
[[nodiscard]] Json json_of_fields(const T& value) {
  return json_fields::Writer::json_of(value);
}

/// The reverse. Errors: malformed, with the place of the part that is not as expected.
template <class T>
[[nodiscard]] Result<T> fields_of_json(const Json& json) {
  T value;
  std::string fault;
  if (!json.is_object()) {
    return fail(ErrorCode::malformed, "an object is expected");
  }
  json_fields::Reader reader(json, nullptr, {}, fault);
  fields(reader, value);
  if (!fault.empty()) {
    return fail(ErrorCode::malformed, fault);
  }
  return value;
}

}  // namespace plumb

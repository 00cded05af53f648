// SPDX-License-Identifier: Apache-2.0
#include "observe/json_strings.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace plumb {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostStrings = 4096;
constexpr std::size_t kLongestString = 32'768;

class StringReader final : public nlohmann::json_sax<Json> {
 public:
  bool key(string_t& name) override {
    if (depth_ >= 1 && depth_ <= keys_.size()) {
      keys_[depth_ - 1] = name.size() <= kLongestString ? name : std::string{};
    }
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) {
      return false;
    }
    depth_ += kList;
    return true;
  }
  bool end_array() override {
    depth_ -= kList;
    return true;
  }
  bool string(string_t& value) override {
    if (strings_.size() >= kMostStrings || value.size() > kLongestString) {
      return true;
    }
    if (depth_ == 1) {
      strings_.insert_or_assign(keys_[0], value);
    } else if (depth_ == 2) {
      strings_.insert_or_assign(keys_[0] + '.' + keys_[1], value);
    }
    return depth_ > 0;
  }
  bool null() override { return depth_ > 0; }
  bool boolean(bool) override { return depth_ > 0; }
  bool number_integer(number_integer_t) override { return depth_ > 0; }
  bool number_unsigned(number_unsigned_t) override { return depth_ > 0; }
  bool number_float(number_float_t, const string_t&) override { return depth_ > 0; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  [[nodiscard]] std::map<std::string, std::string> take() { return std::move(strings_); }

 private:
  static constexpr std::size_t kList = 16;  // in a list nothing is at depth 1 or 2

  std::array<std::string, 2> keys_;
  std::map<std::string, std::string> strings_;
  std::size_t depth_ = 0;
};

}  // namespace

Result<std::map<std::string, std::string>> json_strings(std::string_view text) {
  StringReader reader;
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) {
    return fail(ErrorCode::malformed, "is no JSON object");
  }
  return reader.take();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Tables are read row by row as the parser goes, without a tree of the whole text: with one, the
// table of GPUs took 6 ms of a start that should take 5 in all; so it takes 1.

#include "catalog/table.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace plumb {

struct RowField {
  enum class Kind : std::uint8_t { none, text, number, flag, list };
  std::string name;
  Kind kind = Kind::none;
  std::vector<std::string> texts;
  std::vector<std::uint32_t> numbers;  // a flag is 0 or 1
};

/// The fields of one row; their strings keep their memory from row to row.
struct RowFields {
  std::vector<RowField> fields;
  std::size_t used = 0;

  RowField& add(const std::string& name) {
    if (used == fields.size()) {
      fields.emplace_back();
    }
    RowField& field = fields[used++];
    field.name = name;
    field.kind = RowField::Kind::none;
    field.texts.clear();
    field.numbers.clear();
    return field;
  }

  [[nodiscard]] const RowField* find(std::string_view name, RowField::Kind kind) const {
    for (std::size_t i = 0; i < used; ++i) {
      if (fields[i].name == name) {
        return fields[i].kind == kind ? &fields[i] : nullptr;
      }
    }
    return nullptr;
  }
};

namespace {

using Json = nlohmann::json;
using Kind = RowField::Kind;

/// The parser's events. Depths: 1 the table, 2 the array of rows, 3 a row, 4 a list in a row, or
/// something nested that is passed over.
class RowReader final : public nlohmann::json_sax<Json> {
 public:
  explicit RowReader(const std::function<void(const Row&)>& take) : take_(take) {}

  bool key(string_t& name) override {
    if (depth_ == kTable) {
      in_rows_ = name == "rows";
    } else if (in_rows_ && depth_ == kRow) {
      field_ = &row_.add(name);
    }
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (in_rows_ && depth_ == kRow) {
      row_.used = 0;
    }
    return true;
  }
  bool end_object() override {
    if (in_rows_ && depth_ == kRow) {
      take_(Row(row_));
    }
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (in_rows_ && depth_ == kList && field_ != nullptr) {
      field_->kind = Kind::list;
    }
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool string(string_t& value) override {
    if (RowField* field = target(Kind::text)) {
      field->texts.push_back(value);
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= std::numeric_limits<std::uint32_t>::max()) {
      if (RowField* field = target(Kind::number)) {
        field->numbers.push_back(static_cast<std::uint32_t>(value));
      }
    }
    return true;
  }
  bool boolean(bool value) override {
    if (RowField* field = target(Kind::flag)) {
      field->numbers.push_back(value ? 1 : 0);
    }
    return true;
  }
  bool null() override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr int kTable = 1;
  static constexpr int kRow = 3;
  static constexpr int kList = 4;

  /// Where a value of this kind goes: a field of its own, or the list that is open.
  RowField* target(Kind kind) {
    if (!in_rows_ || field_ == nullptr) {
      return nullptr;
    }
    if (depth_ == kRow) {
      field_->kind = kind;
      return field_;
    }
    return depth_ == kList && field_->kind == Kind::list ? field_ : nullptr;
  }

  const std::function<void(const Row&)>& take_;
  RowFields row_;
  RowField* field_ = nullptr;
  int depth_ = 0;
  bool in_rows_ = false;
};

}  // namespace

std::string Row::text(std::string_view field) const {
  const RowField* found = fields_.find(field, Kind::text);
  return found != nullptr && !found->texts.empty() ? found->texts.front() : std::string();
}

std::vector<std::string> Row::texts(std::string_view field) const {
  const RowField* found = fields_.find(field, Kind::list);
  return found != nullptr ? found->texts : std::vector<std::string>();
}

std::vector<std::uint32_t> Row::numbers(std::string_view field) const {
  const RowField* found = fields_.find(field, Kind::list);
  return found != nullptr ? found->numbers : std::vector<std::uint32_t>();
}

std::optional<std::uint32_t> Row::number(std::string_view field) const {
  const RowField* found = fields_.find(field, Kind::number);
  return found != nullptr && !found->numbers.empty() ? std::optional(found->numbers.front())
                                                     : std::nullopt;
}

bool Row::flag(std::string_view field) const {
  const RowField* found = fields_.find(field, Kind::flag);
  return found != nullptr && !found->numbers.empty() && found->numbers.front() != 0;
}

std::vector<ComputeCapability> Row::capabilities(std::string_view field) const {
  std::vector<ComputeCapability> result;
  for (const std::string& text : texts(field)) {
    if (const auto cc = ComputeCapability::parse(text)) {
      result.push_back(*cc);
    }
  }
  return result;
}

void for_each_row(std::string_view table, const std::function<void(const Row&)>& take) {
  RowReader reader(take);
  static_cast<void>(Json::sax_parse(table, &reader));
}

}  // namespace plumb

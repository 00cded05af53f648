// SPDX-License-Identifier: Apache-2.0
// RECORD: https://packaging.python.org/en/latest/specifications/recording-installed-packages/ - CSV
// of path, hash, size.
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "binary/wheel.h"

namespace plumb {
namespace {

constexpr std::size_t kMaxRows = 250'000;

/// One pass over CSV as Python's csv module writes it by default (RFC 4180): quotes where needed,
/// doubled inside.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// The fields of the next line that has any; empty at the end. Error: a quote that is not closed
  /// or not at the edge.
  [[nodiscard]] Result<std::vector<std::string>> next() {
    std::vector<std::string> fields;
    while (at_ < text_.size() && fields.empty()) {
      ++line_;
      if (end_of_line()) {
        continue;
      }
      bool more = true;
      while (more) {
        if (fields.size() == 8) {
          return fail(ErrorCode::malformed, place() + "has too many columns");
        }
        PLUMB_ASSIGN(std::string value, field());
        fields.push_back(std::move(value));
        more = at_ < text_.size() && text_[at_] == ',';
        at_ += more ? 1 : 0;
      }
      if (at_ < text_.size() && !end_of_line()) {
        return fail(ErrorCode::malformed, place() + "has a quote in the wrong place");
      }
    }
    return fields;
  }

  [[nodiscard]] std::string place() const {
    return "line " + std::to_string(line_) + " of RECORD ";
  }

 private:
  [[nodiscard]] Result<std::string> field() {
    if (at_ == text_.size() || text_[at_] != '"') {
      const std::size_t begin = at_;
      at_ = std::min(text_.find_first_of(",\"\r\n", begin), text_.size());
      return std::string(text_.substr(begin, at_ - begin));
    }
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
      }
      if (text_[at_] != '"') {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += '"';
        ++at_;
      } else {
        ++at_;
        return value;
      }
    }
    return fail(ErrorCode::malformed, place() + "ends within quotes");
  }

  /// Steps over \n, \r\n or \r.
  bool end_of_line() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '\r') {
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
    }
    return at_ != begin;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

std::optional<unsigned> base64_value(char c) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

/// 32 bytes as URL-safe base64: 43 characters, the '=' at the end left out (some writers keep it).
std::optional<std::array<std::byte, 32>> decode_sha256(std::string_view text) {
  if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  if (text.size() != 43) {
    return std::nullopt;
  }
  std::array<std::byte, 32> bytes{};
  unsigned bits = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (const char c : text) {
    const auto value = base64_value(c);
    if (!value) {
      return std::nullopt;
    }
    bits = bits << 6 | *value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes[at++] = static_cast<std::byte>(bits >> count);
    }
    bits &= (1u << count) - 1;
  }
  return bits == 0 ? std::optional(bytes) : std::nullopt;
}

/// RECORD itself and its signatures cannot hold their own hash.
bool needs_no_hash(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || !path.substr(0, slash).ends_with(".dist-info")) {
    return false;
  }
  const std::string_view file = path.substr(slash + 1);
  return file == "RECORD" || file == "RECORD.jws" || file == "RECORD.p7s";
}

Error record_fault(ErrorCode code, std::string what, std::string_view path) {
  return Error{code, std::move(what), printable(path), {}};
}

/// What a row says of a member that is there.
std::optional<Error> compare(const RecordRow& row, const MemberDigest& member) {
  if (row.size && *row.size != member.size) {
    return record_fault(
        ErrorCode::mismatch,
        "has " + std::to_string(member.size) + " bytes, RECORD says " + std::to_string(*row.size),
        row.path);
  }
  if (row.sha256) {
    if (*row.sha256 != member.sha256) {
      return record_fault(ErrorCode::mismatch, "its SHA-256 is not the one in RECORD", row.path);
    }
    return std::nullopt;
  }
  if (!row.hash_name.empty()) {
    return record_fault(ErrorCode::unsupported,
                        "RECORD gives its hash as " + printable(row.hash_name), row.path);
  }
  if (!needs_no_hash(row.path)) {
    return record_fault(ErrorCode::malformed, "RECORD gives no hash for it", row.path);
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<RecordRow>> parse_record(std::string_view text) {
  std::vector<RecordRow> rows;
  CsvReader reader(text);
  while (true) {
    PLUMB_ASSIGN(auto fields, reader.next());
    if (fields.empty()) {
      return rows;
    }
    if (fields.size() != 3 || fields[0].empty()) {
      return fail(ErrorCode::malformed, reader.place() + "is not PATH,HASH,SIZE");
    }
    if (rows.size() == kMaxRows) {
      return fail(ErrorCode::limit, "RECORD has more than " + std::to_string(kMaxRows) + " rows");
    }
    RecordRow row;
    row.path = std::move(fields[0]);
    if (!fields[1].empty()) {
      const std::size_t equals = fields[1].find('=');
      if (equals == 0 || equals == std::string::npos) {
        return fail(ErrorCode::malformed, reader.place() + "has a hash without its algorithm");
      }
      row.hash_name = to_lower_ascii(std::string_view(fields[1]).substr(0, equals));
      if (row.hash_name == "sha256") {
        row.sha256 = decode_sha256(std::string_view(fields[1]).substr(equals + 1));
        if (!row.sha256) {
          return fail(ErrorCode::malformed, reader.place() + "has a broken SHA-256");
        }
      }
    }
    if (!fields[2].empty()) {
      row.size = parse_decimal(fields[2]);
      if (!row.size) {
        return fail(ErrorCode::malformed, reader.place() + "has a broken size");
      }
    }
    rows.push_back(std::move(row));
  }
}

std::vector<Error> verify_record(const std::vector<RecordRow>& rows,
                                 const std::vector<MemberDigest>& members) {
  std::vector<Error> faults;
  std::unordered_map<std::string_view, const RecordRow*> by_path;
  by_path.reserve(rows.size());
  for (const RecordRow& row : rows) {
    if (!by_path.emplace(row.path, &row).second) {
      faults.push_back(record_fault(ErrorCode::malformed, "RECORD has two rows for it", row.path));
    }
  }
  for (const MemberDigest& member : members) {
    const auto at = by_path.find(member.path);
    if (at == by_path.end()) {
      if (!needs_no_hash(member.path)) {
        faults.push_back(
            record_fault(ErrorCode::malformed, "is not listed in RECORD", member.path));
      }
      continue;
    }
    if (at->second == nullptr) {
      continue;  // a doubled member: already compared
    }
    if (auto fault = compare(*at->second, member)) {
      faults.push_back(std::move(*fault));
    }
    at->second = nullptr;
  }
  for (const RecordRow& row : rows) {
    const auto at = by_path.find(row.path);
    if (at->second == &row) {
      faults.push_back(
          record_fault(ErrorCode::not_found, "is listed in RECORD but is not there", row.path));
    }
  }
  std::ranges::sort(faults, {},
                    [](const Error& fault) { return std::tie(fault.where, fault.what); });
  return faults;
}

}  // namespace plumb

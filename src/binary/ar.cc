// SPDX-License-Identifier: Apache-2.0
#include "binary/ar.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

// An archive is a magic line and then members, each with a 60-byte header of text, at even offsets.
// What differs is how names over 15 bytes are kept:
//
//   GNU, MSVC   "/123" is an offset into the member "//"; there a name ends with "/\n" (GNU) or NUL
//   (MSVC) BSD, macOS  "#1/20": the first 20 bytes of the member's data are the name, padded with
//   NULs
//
// Symbol tables: "/" (MSVC has two), "/SYM64/", "__.SYMDEF..." and MSVC's "/<ECSYMBOLS>/" and the
// like. In an MSVC import library most members are short import objects ("PE Format", Import
// Library Format): 20 bytes of header, then the symbol's and the DLL's name.

namespace plumb {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::uint64_t kHeader = 60;
constexpr std::size_t kMaxMembers = 1U << 17;
constexpr std::uint64_t kMaxName = 4096;
constexpr std::uint64_t kMaxNameBytes = 32U << 20;  // of all members together

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// What stands in front of a member's bytes.
struct Header {
  std::string name;  // raw, without the padding
  std::uint64_t size = 0;
};

class ArReader {
 public:
  explicit ArReader(const Source& source) : reader_(source) {}
  Result<ArFile> read();

 private:
  Result<Header> read_header(std::uint64_t offset);
  Result<void> add_member(Header header, std::uint64_t data);
  Result<std::string> long_name(std::uint64_t offset);
  Result<std::string> import_dll(const ArMember& member);
  Result<std::string> text_until(std::uint64_t offset, std::uint64_t limit,
                                 std::string_view terminators);

  PagedReader reader_;
  std::uint64_t names_ = 0;  // the member "//": where its bytes are, and how many
  std::uint64_t names_size_ = 0;
  std::uint64_t name_bytes_ = 0;
  ArFile out_;
};

bool is_symbol_table(std::string_view name) {
  return name == "/" || name == "/SYM64/" || name.starts_with("/<") ||
         name.starts_with("__.SYMDEF");
}

Result<Header> ArReader::read_header(std::uint64_t offset) {
  if (!fits(offset, kHeader, reader_.size())) {
    return fail(ErrorCode::truncated, "the archive ends inside a member's header");
  }
  PLUMB_ASSIGN(const Bytes bytes, reader_.read(offset, kHeader));
  const std::string_view text = as_text(bytes);
  const auto size = parse_decimal(without_trailing_blanks(text.substr(48, 10)));
  if (text.substr(58) != "`\n" || !size) {
    return fail(ErrorCode::malformed,
                "no member header at offset " + std::to_string(offset) + ", the rest is not read");
  }
  return Header{std::string(without_trailing_blanks(text.substr(0, 16))), *size};
}

/// The bytes from `offset` up to the first of `terminators`, at most `limit`.
Result<std::string> ArReader::text_until(std::uint64_t offset, std::uint64_t limit,
                                         std::string_view terminators) {
  PLUMB_ASSIGN(const Bytes bytes, reader_.read(offset, std::min(limit, kMaxName)));
  const std::string_view text = as_text(bytes);
  const std::size_t end = text.find_first_of(terminators);
  if (end == std::string_view::npos) {
    return fail(ErrorCode::malformed, "a name does not end");
  }
  return std::string(text.substr(0, end));
}

Result<std::string> ArReader::long_name(std::uint64_t offset) {
  if (offset >= names_size_) {
    return fail(ErrorCode::malformed, "a long name lies outside the table of names");
  }
  PLUMB_ASSIGN(std::string name,
               text_until(names_ + offset, names_size_ - offset, std::string_view("\n\0", 2)));
  if (name.ends_with('/')) {
    name.pop_back();
  }
  return name;
}

Result<std::string> ArReader::import_dll(const ArMember& member) {
  constexpr std::uint64_t kImportHeader = 20;
  if (member.size < kImportHeader) {
    return {};
  }
  PLUMB_ASSIGN(const Bytes header, reader_.read(member.offset, kImportHeader));
  // Version 0 only: the same signature with another version is an object of /bigobj or of an LTO
  // compiler.
  if (load_le<std::uint32_t>(header) != 0xffff0000U || load_le<std::uint16_t>(header, 4) != 0) {
    return {};
  }
  const std::uint64_t end = member.offset + member.size;
  const std::uint64_t symbol = member.offset + kImportHeader;
  const std::string_view nul("\0", 1);
  PLUMB_ASSIGN(const auto symbol_name, text_until(symbol, end - symbol, nul));
  const std::uint64_t dll = symbol + symbol_name.size() + 1;
  return text_until(dll, end - dll, nul);
}

Result<void> ArReader::add_member(Header header, std::uint64_t data) {
  if (header.name == "//") {
    names_ = data;
    names_size_ = header.size;
    return {};
  }
  ArMember member{std::move(header.name), data, header.size, {}};
  if (member.name.starts_with("#1/")) {
    const auto length = parse_decimal(std::string_view(member.name).substr(3));
    if (!length || *length > member.size || *length > kMaxName) {
      return fail(ErrorCode::malformed, "a member's name is longer than the member");
    }
    PLUMB_ASSIGN(const Bytes bytes, reader_.read(data, *length));
    const std::string_view text = as_text(bytes);
    member.name = text.substr(0, text.find('\0'));
    member.offset += *length;
    member.size -= *length;
  }
  if (is_symbol_table(member.name)) {
    return {};
  }
  Result<void> result;
  const auto place = member.name.starts_with('/')
                         ? parse_decimal(std::string_view(member.name).substr(1))
                         : std::nullopt;
  if (place) {
    auto name = long_name(*place);
    member.name = name ? *std::move(name) : std::string();
    if (!name) {
      result = std::unexpected(std::move(name).error());
    }
  } else if (member.name.ends_with('/')) {
    member.name.pop_back();
  }
  if (auto dll = import_dll(member); dll) {
    member.import_dll = *std::move(dll);
  } else if (result) {
    result = std::unexpected(std::move(dll).error());
  }
  name_bytes_ += member.name.size() + member.import_dll.size();
  out_.members.push_back(std::move(member));
  return result;
}

Result<ArFile> ArReader::read() {
  if (reader_.size() < kMagic.size()) {
    return fail(ErrorCode::not_binary, "no archive");
  }
  PLUMB_ASSIGN(const Bytes magic, reader_.read(0, kMagic.size()));
  if (as_text(magic) == kThinMagic) {
    return fail(ErrorCode::unsupported, "a thin archive: its members are files of their own");
  }
  if (as_text(magic) != kMagic) {
    return fail(ErrorCode::not_binary, "no archive");
  }
  std::size_t bad_names = 0;
  std::uint64_t offset = kMagic.size();
  while (offset < reader_.size()) {
    auto header = read_header(offset);
    if (!header) {
      out_.faults.push_back(std::move(header).error());
      break;
    }
    const std::uint64_t data = offset + kHeader;
    const std::uint64_t size = header->size;
    if (!fits(data, size, reader_.size())) {
      out_.faults.push_back(Error{
          ErrorCode::truncated, "the archive ends inside member `" + header->name + "`", {}, {}});
      break;
    }
    if (out_.members.size() >= kMaxMembers || name_bytes_ > kMaxNameBytes) {
      return fail(ErrorCode::limit, "more than " + std::to_string(kMaxMembers) +
                                        " members or too many bytes of names");
    }
    if (auto added = add_member(*std::move(header), data); !added && bad_names++ == 0) {
      out_.faults.push_back(std::move(added).error());
    }
    offset = data + size + size % 2;
  }
  return std::move(out_);
}

}  // namespace

bool looks_like_ar(Bytes first_bytes) {
  if (first_bytes.size() < kMagic.size()) {
    return false;
  }
  const std::string_view text = as_text(first_bytes.first(kMagic.size()));
  return text == kMagic || text == kThinMagic;
}

Result<ArFile> read_ar(const Source& source) {
  return ArReader(source).read();
}

}  // namespace plumb

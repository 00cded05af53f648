// SPDX-License-Identifier: Apache-2.0
#include "binary/pe_version_info.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "binary/utf16.h"

// VS_VERSIONINFO is a tree of nodes of one shape:
//
//   u16 length (of the node with its children) | u16 value length | u16 type | key, UTF-16, NUL |
//   pad to 4 | value | pad to 4 | children ...
//
// The root's value is VS_FIXEDFILEINFO; below it stand StringFileInfo -> StringTable ("040904b0":
// language and code page in hexadecimal) -> String. The value length of a String is in characters
// by the book, in bytes from some compilers and 0 from others; so a String's value here is all that
// follows its key, up to the first NUL.

namespace plumb::pe {
namespace {

constexpr std::size_t kNodeHeader = 6;

struct Node {
  std::string key;
  std::size_t value = 0;         // where it begins and ...
  std::size_t value_length = 0;  // ... how long it says it is (for the root: in bytes)
  std::size_t end = 0;
};

std::size_t align4(std::size_t offset) {
  return (offset + 3) & ~std::size_t{3};
}

std::unexpected<Error> bad_node(std::size_t at) {
  return fail(ErrorCode::malformed, "a node at byte " + std::to_string(at) + " is broken");
}

/// Where the NUL of the UTF-16 text at `begin` lies, `end` if there is none.
std::size_t find_nul(Bytes bytes, std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  while (at + 2 <= end && load_le<std::uint16_t>(bytes, at) != 0) {
    at += 2;
  }
  return at + 2 <= end ? at : end;
}

/// The node at `at`, which must end by `limit`.
Result<Node> read_node(Bytes bytes, std::size_t at, std::size_t limit) {
  if (!fits(at, kNodeHeader, limit)) {
    return bad_node(at);
  }
  const std::size_t length = load_le<std::uint16_t>(bytes, at);
  if (length < kNodeHeader || length > limit - at) {
    return bad_node(at);
  }
  Node node;
  node.end = at + length;
  node.value_length = load_le<std::uint16_t>(bytes, at + 2);
  const std::size_t key = at + kNodeHeader;
  const std::size_t key_end = find_nul(bytes, key, node.end);
  node.key = utf8_from_utf16(bytes.subspan(key, key_end - key));
  node.value = std::min(align4(std::min(key_end + 2, node.end)), node.end);
  return node;
}

/// The nodes that fill [begin, end).
Result<std::vector<Node>> read_children(Bytes bytes, std::size_t begin, std::size_t end) {
  std::vector<Node> nodes;
  for (std::size_t at = align4(begin); fits(at, kNodeHeader, end);) {
    if (load_le<std::uint16_t>(bytes, at) == 0) {
      break;  // padding
    }
    PLUMB_ASSIGN(Node node, read_node(bytes, at, end));
    at = align4(node.end);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string version_text(Bytes fixed, std::size_t offset) {
  const auto high = load_le<std::uint32_t>(fixed, offset);
  const auto low = load_le<std::uint32_t>(fixed, offset + 4);
  return std::to_string(high >> 16) + "." + std::to_string(high & 0xffffU) + "." +
         std::to_string(low >> 16) + "." + std::to_string(low & 0xffffU);
}

/// US English in Unicode before US English before neutral before others.
int language_rank(const std::string& key) {
  const std::string language = to_lower_ascii(key);
  if (language == "040904b0") {
    return 0;
  }
  if (language.starts_with("0409")) {
    return 1;
  }
  return language.starts_with("0000") ? 2 : 3;
}

Result<void> read_strings(Bytes bytes, const Node& table, VersionInfo& out) {
  PLUMB_ASSIGN(const auto strings, read_children(bytes, table.value, table.end));
  for (const Node& node : strings) {
    const std::size_t end = find_nul(bytes, node.value, node.end);
    out.strings.emplace(node.key, utf8_from_utf16(bytes.subspan(node.value, end - node.value)));
  }
  return {};
}

}  // namespace

Result<void> parse_version_info(Bytes resource, VersionInfo& out) {
  constexpr std::size_t kFixedSize = 52;
  constexpr std::uint32_t kFixedSignature = 0xfeef04bd;
  PLUMB_ASSIGN(const Node root, read_node(resource, 0, resource.size()));
  if (root.key != "VS_VERSION_INFO") {
    return fail(ErrorCode::malformed, "it does not begin with VS_VERSION_INFO");
  }
  if (!fits(root.value, root.value_length, root.end)) {
    return bad_node(0);
  }
  if (root.value_length >= kFixedSize) {
    const Bytes fixed = resource.subspan(root.value, kFixedSize);
    if (load_le<std::uint32_t>(fixed) != kFixedSignature) {
      return fail(ErrorCode::malformed, "VS_FIXEDFILEINFO has a wrong signature");
    }
    out.file_version = version_text(fixed, 8);
    out.product_version = version_text(fixed, 16);
  }
  PLUMB_ASSIGN(const auto parts, read_children(resource, root.value + root.value_length, root.end));
  std::vector<Node> tables;
  for (const Node& part : parts) {
    if (part.key == "StringFileInfo") {
      PLUMB_ASSIGN(const auto found, read_children(resource, part.value, part.end));
      tables.insert(tables.end(), found.begin(), found.end());
    }
  }
  const auto best = std::ranges::min_element(
      tables, {}, [](const Node& table) { return language_rank(table.key); });
  return best != tables.end() ? read_strings(resource, *best, out) : Result<void>{};
}

}  // namespace plumb::pe

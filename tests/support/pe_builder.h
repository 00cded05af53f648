// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes small PE images for tests: honest ones, and, by overwriting fields at the places it tells,
// lying ones.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumb::test {

struct PeFunction {
  std::string name = {};                      // "" with an ordinal
  std::optional<std::uint16_t> ordinal = {};  // instead of the name
  std::uint16_t hint = 0;
};

struct PeLibrary {
  std::string name;
  std::vector<PeFunction> functions = {};
};

struct PeExported {
  std::string name = {};       // "" for an ordinal alone
  std::string forwarder = {};  // "NTDLL.RtlAllocateHeap"
  std::string bytes = "\xc3";  // what lies at the exported address
};

/// An address table entry that is zero.
inline const PeExported kExportHole{{}, {}, {}};

struct PeStrings {
  std::string table = "040904b0";
  std::vector<std::pair<std::u16string, std::u16string>> strings;
};

struct PeVersion {
  std::vector<std::uint16_t> file = {1, 2, 3, 4};
  std::vector<std::uint16_t> product = {5, 6, 7, 8};
  std::vector<PeStrings> tables = {};
};

struct PeResource {
  std::uint32_t type = 0;
  std::uint32_t name = 1;
  std::uint32_t language = 0x0409;
  std::string data;
};

struct PeExtraSection {
  std::string name;
  std::string bytes;
  std::uint32_t virtual_size = 0;  // 0: as long as `bytes`
};

struct PeDescription {
  bool plus = true;
  bool dll = true;
  std::uint16_t machine = 0x8664;
  std::uint64_t image_base = 0x180000000;  // PE32: cut to 32 bits
  std::string dll_name = {};               // "" with no exports: no export directory
  std::uint32_t export_base = 1;
  std::vector<PeExported> exports = {};
  std::vector<PeLibrary> imports = {};
  std::vector<PeLibrary> delay_imports = {};
  bool delay_by_address = false;  // as Visual C++ 6 wrote them
  std::vector<PeResource> resources = {};
  std::vector<PeExtraSection> sections = {};
  std::uint64_t chpe_metadata =
      0;  // other than 0: a load configuration that marks ARM64EC / ARM64X
};

struct PeBytes {
  std::string bytes;
  /// File offsets of: "coff", "optional", "directories", "sections" and, where there are such
  /// parts, "imports", "import_names", "delay_imports", "exports", "export_addresses",
  /// "export_names", "export_ordinals", "resources", "resource_leaf", "resource_data".
  std::map<std::string, std::size_t> at;
};

[[nodiscard]] PeBytes build_pe(const PeDescription& description);

/// The bytes of an RT_VERSION (16) resource.
[[nodiscard]] std::string build_version_info(const PeVersion& version);

}  // namespace plumb::test

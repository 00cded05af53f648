// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows images (.exe .dll .pyd .node): PE32 and PE32+ as in Microsoft's "PE Format". Only what a
// loader or a reader of GPU code needs, and only the pages that hold it.
//
// A file whose headers can be used gives a PeFile; each part of it that cannot be read (a damaged
// import table, a section past the end) leaves one Error in `faults` and never takes the other
// parts along.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "binary/export_detail.h"

namespace plumb {

struct PeSection {
  /// MSVC's linker cuts names to 8 bytes (".nv_fatbin" is ".nv_fatb"); GNU ld's longer ones are
  /// looked up in the COFF string table.
  std::string name;
  std::uint32_t rva = 0;
  std::uint32_t virtual_size = 0;
  /// In the file; offset + size may lie past its end, then `faults` says so.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // in the file
  std::uint32_t characteristics = 0;
};

struct PeExport {
  std::string name;           // "" for one that has an ordinal only
  std::uint32_t ordinal = 0;  // base included
  std::uint32_t rva = 0;
  std::string forwarder;  // "NTDLL.RtlAllocateHeap", or "" when the code is here
};

struct PeImportedFunction {
  std::uint32_t library = 0;             // into PeFile::imports (or delay_imports)
  std::string name;                      // "" when imported by ordinal
  std::uint16_t hint = 0;                // where the linker saw it in the exporter's name table
  std::optional<std::uint16_t> ordinal;  // set when imported by ordinal
};

/// One of the 16 parts that the optional header points at.
struct PeDirectory {
  std::uint32_t rva = 0;
  std::uint32_t size = 0;
};

struct PeFile {
  bool plus = false;    // PE32+
  std::string machine;  // "x86_64", "i386", "aarch64", "arm", else "machine 0x01f0"
  std::string hybrid;   // "arm64ec" (machine x86_64), "arm64x" (machine aarch64), else ""
  bool is_dll = false;
  bool is_clr = false;          // a .NET image
  std::uint16_t subsystem = 0;  // 2 windows, 3 console
  std::uint32_t timestamp = 0;  // as stored: seconds since 1970, or a hash in reproducible builds
  std::uint64_t image_base = 0;
  std::uint32_t header_size = 0;  // SizeOfHeaders: below it an RVA is a file offset
  std::uint32_t section_alignment = 0;
  std::vector<PeSection> sections;
  std::vector<PeDirectory> directories;

  std::optional<std::string> dll_name;  // the export table's
  std::vector<std::string> imports;     // as written and in file order; a DLL may stand there twice
  std::vector<std::string> delay_imports;
  std::vector<PeImportedFunction> imported_functions;  // only with PeOptions::import_functions
  std::vector<PeImportedFunction> delay_imported_functions;

  /// Entries of the export address table that are not zero: the rows of objdump's "Export Address
  /// Table", forwarders and ordinal-only exports included. An entry with two names counts once.
  std::uint64_t export_count = 0;
  /// Only with ExportDetail::names: the name table in its own order, then what has an ordinal only.
  std::vector<PeExport> exports;

  /// VS_FIXEDFILEINFO as "32.0.15.6636"; empty without a version resource.
  std::optional<std::string> file_version;
  std::optional<std::string> product_version;
  /// StringFileInfo as UTF-8 ("FileVersion", "ProductName" ...): US English if there, else neutral,
  /// else the first.
  std::map<std::string, std::string> version_resource;
  std::string manifest;  // RT_MANIFEST's text as UTF-8, "" if there is none

  std::vector<Error> faults;
};

struct PeOptions {
  ExportDetail exports = ExportDetail::count;
  bool import_functions = false;
};

/// True if these first bytes of a file may be a PE's: "MZ". The header that tells it from a DOS
/// program can lie anywhere, so read_pe() may still answer not_binary.
[[nodiscard]] bool looks_like_pe(Bytes first_bytes);

/// Errors: not_binary (no PE header), truncated, malformed or limit where the headers themselves
/// cannot be used, unsupported (a ROM image), or the source's.
[[nodiscard]] Result<PeFile> read_pe(const Source& source, const PeOptions& options);

/// Where the byte at `rva` lies in the file; empty if nowhere (zero-filled data, holes, past all
/// sections).
[[nodiscard]] std::optional<std::uint64_t> rva_to_offset(const PeFile& file, std::uint32_t rva);
/// The same for an absolute address at the preferred base.
[[nodiscard]] std::optional<std::uint64_t> va_to_offset(const PeFile& file, std::uint64_t va);

/// File offsets of those `names` that `file` exports itself (no forwarders): some pages, whatever
/// the number of exports.
[[nodiscard]] std::map<std::string, std::uint64_t, std::less<>> find_pe_exports(
    const Source& source, const PeFile& file, std::span<const std::string_view> names);

}  // namespace plumb

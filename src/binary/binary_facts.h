// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one binary says of itself, whatever its format: the value that elf.h and pe.h readers are
// folded into and that judge and report see. Plain data.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/gpu_code.h"

namespace plumb {

enum class Format : std::uint8_t {
  elf64,
  elf32,
  pe32_plus,
  pe32,
  ar,
  fatbin,
  cubin,
  ptx,
  wheel,
  conda
};
/// As in JSON: "elf64", "pe32+", ...
[[nodiscard]] std::string_view format_name(Format format);

enum class Cudart : std::uint8_t { none, static_, shared };

struct BinaryFacts {
  std::string path;     // of the file, or of the member inside `archive`
  std::string archive;  // the wheel's path; "" for a file of its own
  std::uint64_t size = 0;
  Format format = Format::elf64;
  std::string machine;  // "x86_64", "aarch64", "i386", "arm", "ppc64le", ...; GPU files: "cuda"
  std::optional<std::string> name;       // soname or the export table's DLL name
  std::vector<std::string> needs;        // DT_NEEDED / imported DLLs, in file order
  std::vector<std::string> delay_needs;  // PE delay imports
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::uint64_t export_count = 0;
  std::vector<std::string>
      exports;  // "name@@VERSION" (ELF), "name" or "#ordinal" (PE); only if asked for
  std::optional<std::string> glibc_min;  // "2.28"
  std::map<std::string, std::string>
      versions;  // library -> version, read from the bytes ("cudnn": "9.19.0")
  std::map<std::string, std::string>
      version_resource;  // PE: "FileVersion", "ProductName", ... as UTF-8
  Cudart cudart = Cudart::none;
  GpuCode gpu;
};

}  // namespace plumb

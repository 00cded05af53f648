// SPDX-License-Identifier: Apache-2.0
#include "binary/pe.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "binary/pe_image.h"

// From a file offset to an RVA and back, as Windows' loader does it ("PE Format", section table;
// what it does not say was seen in loaders): a section occupies its virtual size (or its raw size
// where that is 0) rounded up to the section alignment; of that, the first `size` bytes come from
// the file and the rest are zeros. The raw pointer is rounded down to 512 when sections are
// page-aligned. Where sections overlap, the first one in the table is taken: no linker makes such
// files, and any fixed choice is as good.

namespace plumb {
namespace {

constexpr std::size_t kDosHeader = 64;
constexpr std::size_t kCoffHeader = 24;  // with the signature
constexpr std::size_t kSectionHeader = 40;
constexpr std::uint32_t kPageSize = 4096;

struct CoffHeader {
  std::uint16_t machine = 0;
  std::uint16_t section_count = 0;
  std::uint32_t timestamp = 0;
  std::uint32_t symbols = 0;
  std::uint32_t symbol_count = 0;
  std::uint16_t optional_size = 0;
  std::uint16_t characteristics = 0;
};

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case 0x8664:
      return "x86_64";
    case 0x014c:
      return "i386";
    case 0xaa64:
      return "aarch64";
    case 0x01c0:  // ARM
    case 0x01c2:  // Thumb
    case 0x01c4:  // ARMv7, what Windows RT ran on
      return "arm";
    default: {
      std::array<char, 16> text{};
      std::snprintf(text.data(), text.size(), "machine 0x%04x", unsigned{machine});
      return text.data();
    }
  }
}

Result<std::uint64_t> find_coff_header(PagedReader& reader) {
  if (reader.size() < kDosHeader) {
    return fail(ErrorCode::truncated, "the file ends inside the DOS header");
  }
  PLUMB_ASSIGN(const Bytes dos, reader.read(0, kDosHeader));
  if (!looks_like_pe(dos)) {
    return fail(ErrorCode::not_binary, "no `MZ` at the start");
  }
  const std::uint64_t offset = load_le<std::uint32_t>(dos, 0x3c);
  if (!fits(offset, kCoffHeader, reader.size())) {
    return fail(ErrorCode::truncated,
                "the PE header at offset " + std::to_string(offset) + " lies past the end");
  }
  PLUMB_ASSIGN(const Bytes signature, reader.read(offset, 4));
  if (as_text(signature) != std::string_view("PE\0\0", 4)) {
    return fail(ErrorCode::not_binary, "a DOS or 16-bit Windows program, without a PE header");
  }
  return offset;
}

Result<CoffHeader> read_coff_header(PagedReader& reader, std::uint64_t offset) {
  PLUMB_ASSIGN(const Bytes bytes, reader.read(offset, kCoffHeader));
  CoffHeader header;
  header.machine = load_le<std::uint16_t>(bytes, 4);
  header.section_count = load_le<std::uint16_t>(bytes, 6);
  header.timestamp = load_le<std::uint32_t>(bytes, 8);
  header.symbols = load_le<std::uint32_t>(bytes, 12);
  header.symbol_count = load_le<std::uint32_t>(bytes, 16);
  header.optional_size = load_le<std::uint16_t>(bytes, 20);
  header.characteristics = load_le<std::uint16_t>(bytes, 22);
  return header;
}

Result<void> read_optional_header(PagedReader& reader, std::uint64_t offset, std::uint16_t size,
                                  PeFile& out) {
  if (!fits(offset, size, reader.size())) {
    return fail(ErrorCode::truncated, "the file ends inside the optional header");
  }
  PLUMB_ASSIGN(const Bytes bytes, reader.read(offset, size));
  const std::uint16_t magic = size < 2 ? 0 : load_le<std::uint16_t>(bytes);
  if (magic == 0x107) {
    return fail(ErrorCode::unsupported, "a ROM image");
  }
  if (magic != 0x10b && magic != 0x20b) {
    return fail(ErrorCode::malformed, "the optional header is of no known kind");
  }
  out.plus = magic == 0x20b;
  const std::size_t fixed = out.plus ? 112 : 96;
  if (size < fixed) {
    return fail(ErrorCode::malformed, "the optional header is too short");
  }
  out.image_base = out.plus ? load_le<std::uint64_t>(bytes, 24) : load_le<std::uint32_t>(bytes, 28);
  out.section_alignment = load_le<std::uint32_t>(bytes, 32);
  out.header_size = load_le<std::uint32_t>(bytes, 60);
  out.subsystem = load_le<std::uint16_t>(bytes, 68);
  const std::size_t promised = load_le<std::uint32_t>(bytes, fixed - 4);
  const std::size_t count = std::min({promised, std::size_t{16}, (size - fixed) / 8});
  for (std::size_t i = 0; i < count; ++i) {
    out.directories.push_back({load_le<std::uint32_t>(bytes, fixed + 8 * i),
                               load_le<std::uint32_t>(bytes, fixed + 8 * i + 4)});
  }
  return {};
}

/// GNU ld writes "/123" for names over 8 bytes: decimal offset into the string table behind the
/// COFF symbols. A name that cannot be looked up stays as it is, since nothing depends on it.
std::string long_section_name(PagedReader& reader, const CoffHeader& coff, std::string name) {
  if (name.size() < 2 || name[0] != '/' || coff.symbols == 0) {
    return name;
  }
  std::uint64_t offset = 0;
  for (const char c : std::string_view(name).substr(1)) {
    if (c < '0' || c > '9') {
      return name;
    }
    offset = 10 * offset + static_cast<std::uint64_t>(c - '0');
  }
  constexpr std::uint64_t kSymbolSize = 18;
  const std::uint64_t strings = coff.symbols + kSymbolSize * coff.symbol_count;
  if (auto text = reader.read_string(strings + offset, 256); text && !text->empty()) {
    return *std::move(text);
  }
  return name;
}

Result<void> read_sections(const Source& source, std::uint64_t offset, const CoffHeader& coff,
                           PeFile& out) {
  if (coff.section_count > pe::kMaxSections) {
    return fail(ErrorCode::limit, std::to_string(coff.section_count) + " sections are more than " +
                                      std::to_string(pe::kMaxSections));
  }
  const std::uint64_t length = kSectionHeader * coff.section_count;
  if (!fits(offset, length, source.size())) {
    return fail(ErrorCode::truncated, "the file ends inside the section table");
  }
  PLUMB_ASSIGN(const auto table, read_range(source, offset, length, length));
  PagedReader names(source);
  std::string first_past_end;
  std::size_t past_end = 0;
  for (std::size_t i = 0; i < coff.section_count; ++i) {
    const Bytes header = Bytes(table).subspan(kSectionHeader * i, kSectionHeader);
    const std::string_view name = as_text(header.first(8));
    PeSection section;
    section.name = long_section_name(names, coff, std::string(name.substr(0, name.find('\0'))));
    section.virtual_size = load_le<std::uint32_t>(header, 8);
    section.rva = load_le<std::uint32_t>(header, 12);
    section.size = load_le<std::uint32_t>(header, 16);
    section.offset = load_le<std::uint32_t>(header, 20);
    section.characteristics = load_le<std::uint32_t>(header, 36);
    if (section.offset == 0) {
      section.size = 0;  // uninitialised data; some linkers write a size all the same
    } else if (out.section_alignment >= kPageSize) {
      section.offset &= ~std::uint64_t{0x1ff};
    }
    if (section.size != 0 && !fits(section.offset, section.size, source.size())) {
      if (past_end++ == 0) {
        first_past_end = section.name;
      }
    }
    out.sections.push_back(std::move(section));
  }
  if (past_end != 0) {
    std::string what = "section `" + first_past_end + "`";
    what += past_end == 1 ? " ends" : " and " + std::to_string(past_end - 1) + " more end";
    out.faults.push_back(Error{ErrorCode::truncated, what + " past the end of the file", {}, {}});
  }
  return {};
}

/// ARM64EC and ARM64X images carry another machine's number; what tells them is a pointer in the
/// load configuration (IMAGE_LOAD_CONFIG_DIRECTORY64::CHPEMetadataPointer).
Result<void> read_hybrid(pe::PeImage& image, PeFile& out) {
  constexpr std::uint32_t kChpeMetadata = 0xc8;
  const PeDirectory directory = image.directory(pe::kLoadConfigDirectory);
  const bool may_be = out.plus && (out.machine == "x86_64" || out.machine == "aarch64");
  if (!may_be || directory.rva == 0) {
    return {};
  }
  PLUMB_ASSIGN(const std::uint32_t size, image.read_u32(directory.rva));
  if (size < kChpeMetadata + 8) {
    return {};
  }
  PLUMB_ASSIGN(const std::uint64_t pointer,
               image.read_u64(std::uint64_t{directory.rva} + kChpeMetadata));
  if (pointer != 0) {
    out.hybrid = out.machine == "x86_64" ? "arm64ec" : "arm64x";
  }
  return {};
}

/// The part of the file that `rva` and what follows come from.
struct Place {
  std::uint64_t offset = 0;
  std::uint64_t in_file = 0;    // so many bytes from there on are in the file ...
  std::uint64_t in_memory = 0;  // ... and so many in the section
};

std::uint64_t section_extent(const PeFile& file, const PeSection& section) {
  const std::uint64_t size = section.virtual_size != 0 ? section.virtual_size : section.size;
  const std::uint64_t alignment = std::max<std::uint64_t>(file.section_alignment, 1);
  return (size + alignment - 1) / alignment * alignment;
}

std::optional<Place> find_place(const PeFile& file, std::uint64_t rva) {
  if (rva < file.header_size) {
    const std::uint64_t left = file.header_size - rva;
    return Place{rva, left, left};
  }
  for (const PeSection& section : file.sections) {
    if (rva < section.rva) {
      continue;
    }
    const std::uint64_t delta = rva - section.rva;
    const std::uint64_t extent = section_extent(file, section);
    if (delta < extent) {
      const std::uint64_t in_file = std::min(section.size, extent);
      return Place{section.offset + delta, in_file - std::min(in_file, delta), extent - delta};
    }
  }
  return std::nullopt;
}

}  // namespace

namespace pe {

PeDirectory PeImage::directory(std::size_t index) const {
  return index < file_.directories.size() ? file_.directories[index] : PeDirectory{};
}

Result<std::vector<std::byte>> PeImage::read(std::uint64_t rva, std::uint64_t length) {
  if (length > kMaxTable) {
    return fail(ErrorCode::limit, "a table of " + std::to_string(length) + " bytes");
  }
  const auto place = find_place(file_, rva);
  if (!place || length > place->in_memory) {
    return fail(ErrorCode::malformed, std::to_string(length) + " bytes at RVA " +
                                          std::to_string(rva) + " are in no section");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  const std::uint64_t in_file = std::min(length, place->in_file);
  if (in_file != 0) {
    PLUMB_ASSIGN(const Bytes found, reader_.read(place->offset, in_file));
    std::ranges::copy(found, bytes.begin());
  }
  return bytes;
}

Result<std::uint32_t> PeImage::read_u32(std::uint64_t rva) {
  PLUMB_ASSIGN(const auto bytes, read(rva, 4));
  return load_le<std::uint32_t>(bytes);
}

Result<std::uint64_t> PeImage::read_u64(std::uint64_t rva) {
  PLUMB_ASSIGN(const auto bytes, read(rva, 8));
  return load_le<std::uint64_t>(bytes);
}

Result<std::string> PeImage::read_name(std::uint64_t rva) {
  const auto place = find_place(file_, rva);
  if (!place || place->in_file == 0) {
    return fail(ErrorCode::malformed, "a name at RVA " + std::to_string(rva) + " is in no section");
  }
  PLUMB_ASSIGN(std::string name,
               reader_.read_string(place->offset, std::min(place->in_file, kMaxName)));
  if (name.empty()) {
    return fail(ErrorCode::malformed, "an empty name");
  }
  name_bytes_ += name.size();
  if (name_bytes_ > kMaxNameBytes) {
    return fail(ErrorCode::limit, "more than " + std::to_string(kMaxNameBytes) + " bytes of names");
  }
  return name;
}

}  // namespace pe

bool looks_like_pe(Bytes first_bytes) {
  return first_bytes.size() >= 2 && as_text(first_bytes.first(2)) == "MZ";
}

std::optional<std::uint64_t> rva_to_offset(const PeFile& file, std::uint32_t rva) {
  const auto place = find_place(file, rva);
  return place && place->in_file != 0 ? std::optional(place->offset) : std::nullopt;
}

std::optional<std::uint64_t> va_to_offset(const PeFile& file, std::uint64_t va) {
  if (va < file.image_base || va - file.image_base > 0xffffffffU) {
    return std::nullopt;
  }
  return rva_to_offset(file, static_cast<std::uint32_t>(va - file.image_base));
}

Result<PeFile> read_pe(const Source& source, const PeOptions& options) {
  PagedReader headers(source);
  PLUMB_ASSIGN(const std::uint64_t start, find_coff_header(headers));
  PLUMB_ASSIGN(const CoffHeader coff, read_coff_header(headers, start));
  PeFile out;
  out.machine = machine_name(coff.machine);
  out.is_dll = (coff.characteristics & 0x2000U) != 0;
  out.timestamp = coff.timestamp;
  const std::uint64_t optional = start + kCoffHeader;
  PLUMB_TRY(read_optional_header(headers, optional, coff.optional_size, out));
  PLUMB_TRY(read_sections(source, optional + coff.optional_size, coff, out));

  // Each directory gets an image of its own: one page window and one name budget.
  const auto attempt = [&](std::string_view action, auto&& part) {
    pe::PeImage image(source, out);
    if (Result<void> done = part(image); !done) {
      out.faults.push_back(std::move(done).error().while_doing(action));
    }
  };
  const bool functions = options.import_functions;
  attempt("reading imports", [&](auto& image) { return read_imports(image, functions, out); });
  attempt("reading delay imports",
          [&](auto& image) { return read_delay_imports(image, functions, out); });
  attempt("reading exports",
          [&](auto& image) { return read_exports(image, options.exports, out); });
  attempt("reading the version resource",
          [&](auto& image) { return read_version_resource(image, out); });
  attempt("reading the manifest", [&](auto& image) { return read_manifest(image, out); });
  attempt("reading the load configuration", [&](auto& image) { return read_hybrid(image, out); });
  out.is_clr = pe::PeImage(source, out).directory(pe::kClrDirectory).rva != 0;
  return out;
}

}  // namespace plumb

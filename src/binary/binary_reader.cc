// SPDX-License-Identifier: Apache-2.0
#include "binary/binary_reader.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "binary/ar.h"
#include "binary/cubin.h"
#include "binary/elf.h"
#include "binary/file_versions.h"
#include "binary/gpu_regions.h"
#include "binary/nvidia_names.h"
#include "binary/pe.h"
#include "binary/ptx.h"

namespace plumb {
namespace {

constexpr std::uint16_t kMachineCuda = 190;

bool needs_cuda_library(const BinaryFacts& facts) {
  return std::ranges::any_of(facts.needs, is_cuda_library) ||
         std::ranges::any_of(facts.delay_needs, is_cuda_library);
}

bool needs_cudart(const BinaryFacts& facts) {
  const auto is_cudart = [](const std::string& name) { return library_stem(name) == "cudart"; };
  return std::ranges::any_of(facts.needs, is_cudart) ||
         std::ranges::any_of(facts.delay_needs, is_cudart);
}

// The function with which code compiled by nvcc registers a container. In a file that has GPU code,
// does not need libcudart and does not import this function either, the runtime is linked in.
bool imports_registration(const Source& source, const ElfFile& elf) {
  constexpr std::array<std::string_view, 1> kNames = {"__cudaRegisterFatBinary"};
  const auto hits = find_elf_symbols(source, elf, kNames);
  return hits && hits->front() && !hits->front()->defined;
}

bool is_nvidia(const BinaryFacts& facts) {
  return facts.name && is_nvidia_library(*facts.name);
}

/// Code that came by already gets the names of the sections it lies in; else it is searched for.
/// What is known without the GPU code stays known: a search that fails leaves a fault.
void add_gpu_code(ReadBinary& binary, const Source& source, const ReadOptions& options,
                  const GpuRegions& regions, const std::vector<SearchRegion>& sections) {
  BinaryFacts& facts = binary.facts;
  if (options.found != nullptr) {
    facts.gpu = *options.found;
    assign_places(facts.gpu, sections);
    return;
  }
  auto found = find_gpu_code(source, regions,
                             {.asked = options.search == GpuSearch::everywhere,
                              .nvidia_library = is_nvidia(facts),
                              .uses_cuda = needs_cuda_library(facts) || regions.registers_code()});
  if (found) {
    facts.gpu = std::move(*found);
  } else {
    binary.faults.push_back(std::move(found).error().while_doing("searching for GPU code"));
  }
}

Result<ReadBinary> read_elf_binary(const Source& source, const ReadOptions& options) {
  PLUMB_ASSIGN(ElfFile elf, read_elf(source, {.exports = options.exports}));
  ReadBinary binary;
  BinaryFacts& facts = binary.facts;
  facts.format = elf.is64 ? Format::elf64 : Format::elf32;
  facts.machine = elf.machine;
  facts.name = elf.soname;
  facts.needs = elf.needed;
  facts.rpath = elf.rpath;
  facts.runpath = elf.runpath;
  facts.export_count = elf.export_count;
  facts.exports = std::move(elf.exports);
  facts.glibc_min = elf.glibc_min;
  binary.faults = std::move(elf.faults);

  const GpuRegions regions = gpu_regions(elf, source.size());
  std::vector<SearchRegion> sections;
  for (const ElfSection& section : elf.sections) {
    if (section.in_file()) {
      sections.push_back({section.name, section.offset, section.size});
    }
  }
  add_gpu_code(binary, source, options, regions, sections);
  if (needs_cudart(facts)) {
    facts.cudart = Cudart::shared;
  } else if (regions.registers_code()) {
    facts.cudart = imports_registration(source, elf) ? Cudart::shared : Cudart::static_;
  }
  facts.versions = read_file_versions(source, elf);
  return binary;
}

Result<ReadBinary> read_pe_binary(const Source& source, const ReadOptions& options) {
  PLUMB_ASSIGN(PeFile pe, read_pe(source, {.exports = options.exports}));
  ReadBinary binary;
  BinaryFacts& facts = binary.facts;
  facts.format = pe.plus ? Format::pe32_plus : Format::pe32;
  facts.machine = pe.machine;
  facts.name = pe.dll_name;
  facts.needs = pe.imports;
  facts.delay_needs = pe.delay_imports;
  facts.export_count = pe.export_count;
  for (const PeExport& exported : pe.exports) {
    facts.exports.push_back(exported.name.empty() ? "#" + std::to_string(exported.ordinal)
                                                  : exported.name);
  }
  facts.version_resource = pe.version_resource;
  binary.faults = pe.faults;

  const GpuRegions regions = gpu_regions(pe, source.size());
  std::vector<SearchRegion> sections;
  for (const PeSection& section : pe.sections) {
    sections.push_back({section.name, section.offset, section.size});
  }
  add_gpu_code(binary, source, options, regions, sections);
  if (needs_cudart(facts)) {
    facts.cudart = Cudart::shared;
  } else if (regions.registers_code()) {
    facts.cudart = Cudart::static_;
  }
  facts.versions = read_file_versions(source, pe);
  return binary;
}

/// A static archive is one thing to its user: the GPU code of all members together.
Result<ReadBinary> read_ar_binary(const Source& source, const ReadOptions& options) {
  PLUMB_ASSIGN(ArFile archive, read_ar(source));
  ReadBinary binary;
  BinaryFacts& facts = binary.facts;
  facts.format = Format::ar;
  binary.faults = std::move(archive.faults);
  for (const ArMember& member : archive.members) {
    if (!member.import_dll.empty()) {
      if (std::ranges::find(facts.needs, member.import_dll) == facts.needs.end()) {
        facts.needs.push_back(member.import_dll);
      }
      continue;
    }
    const SliceSource slice(source, member.offset, member.size);
    ReadOptions inner = options;
    inner.found = nullptr;
    inner.exports = ExportDetail::count;
    auto read = read_binary(slice, inner);
    if (!read) {
      if (read.error().code != ErrorCode::not_binary) {
        binary.faults.push_back(
            std::move(read).error().while_doing("member " + printable(member.name)));
      }
      continue;
    }
    if (facts.machine.empty()) {
      facts.machine = read->facts.machine;
    }
    const auto shift_images = static_cast<std::uint32_t>(facts.gpu.images.size());
    const auto shift_places = static_cast<std::uint16_t>(facts.gpu.places.size());
    GpuCode& found = read->facts.gpu;
    if (facts.gpu.images.size() + found.images.size() > (std::size_t{1} << 21) ||
        facts.gpu.places.size() + found.places.size() > 60'000) {
      return fail(ErrorCode::limit, "more GPU code than plumb counts");
    }
    for (GpuContainer& container : found.containers) {
      container.offset += member.offset;
      container.first_image += shift_images;
      container.place = static_cast<std::uint16_t>(container.place + shift_places);
      facts.gpu.containers.push_back(container);
    }
    std::ranges::move(found.images, std::back_inserter(facts.gpu.images));
    if (!found.containers.empty()) {
      std::ranges::move(found.places, std::back_inserter(facts.gpu.places));
    }
  }
  return binary;
}

Result<ReadBinary> read_fatbin_file(const Source& source) {
  ReadBinary binary;
  binary.facts.format = Format::fatbin;
  binary.facts.machine = "cuda";
  PLUMB_TRY(search_region(source, {"", 0, source.size()}, binary.facts.gpu));
  if (binary.facts.gpu.containers.empty()) {
    return fail(ErrorCode::malformed, "starts like a fatbin, but its entries do not add up");
  }
  return binary;
}

ReadBinary single_image(Format format, std::uint64_t size, const GpuImage& image) {
  ReadBinary binary;
  binary.facts.format = format;
  binary.facts.machine = "cuda";
  binary.facts.gpu.places = {""};
  binary.facts.gpu.images = {image};
  binary.facts.gpu.containers = {
      {.offset = 0, .size = size, .first_image = 0, .image_count = 1, .place = 0}};
  return binary;
}

Result<ReadBinary> read_cubin_file(const Source& source) {
  PLUMB_ASSIGN(const CubinFacts cubin, read_cubin(source));
  GpuImage image;
  image.kind = ImageKind::cubin;
  image.target = cubin.header.target;
  image.empty = !cubin.has_code;
  image.toolkit = cubin.header.toolkit;
  return single_image(Format::cubin, source.size(), image);
}

Result<ReadBinary> read_ptx_file(const Source& source) {
  PLUMB_ASSIGN(const GpuImage image, read_ptx(source));
  return single_image(Format::ptx, source.size(), image);
}

}  // namespace

std::optional<Format> recognise(Bytes first_bytes) {
  if (looks_like_elf(first_bytes) && first_bytes.size() >= 20) {
    if (load_le<std::uint16_t>(first_bytes, 18) == kMachineCuda) {
      return Format::cubin;
    }
    return load_le<std::uint8_t>(first_bytes, 4) == 1 ? Format::elf32 : Format::elf64;
  }
  if (looks_like_pe(first_bytes)) {
    return Format::pe32_plus;
  }
  if (looks_like_ar(first_bytes)) {
    return Format::ar;
  }
  if (first_bytes.size() >= 4 && load_le<std::uint32_t>(first_bytes) == kFatbinMagic) {
    return Format::fatbin;
  }
  if (looks_like_ptx(first_bytes)) {
    return Format::ptx;
  }
  return std::nullopt;
}

Result<ReadBinary> read_binary(const Source& source, const ReadOptions& options) {
  std::array<std::byte, 64> head{};
  const std::span first =
      std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(64, source.size())));
  if (first.empty()) {
    return fail(ErrorCode::truncated, "the file is empty");
  }
  PLUMB_TRY(source.read(0, first));
  const auto format = recognise(first);
  Result<ReadBinary> result = fail(ErrorCode::not_binary, "not a binary, wheel or GPU code file");
  if (format) {
    switch (*format) {
      case Format::elf64:
      case Format::elf32:
        result = read_elf_binary(source, options);
        break;
      case Format::pe32_plus:
      case Format::pe32:
        result = read_pe_binary(source, options);
        break;
      case Format::ar:
        result = read_ar_binary(source, options);
        break;
      case Format::fatbin:
        result = read_fatbin_file(source);
        break;
      case Format::cubin:
        result = read_cubin_file(source);
        break;
      case Format::ptx:
        result = read_ptx_file(source);
        break;
      case Format::wheel:
      case Format::conda:
        break;
    }
  }
  if (result) {
    result->facts.size = source.size();
  }
  return result;
}

}  // namespace plumb

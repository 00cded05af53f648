// SPDX-License-Identifier: Apache-2.0
#include "binary/gpu_regions.h"

#include <algorithm>
#include <tuple>

namespace plumb {
namespace {

constexpr std::uint64_t kControlRecord = 24;
constexpr std::uint32_t kShtProgbits = 1;
constexpr std::uint32_t kPtLoad = 1;
constexpr std::uint32_t kPfExecute = 1;
constexpr std::uint32_t kScnCode = 0x20;
constexpr std::uint32_t kScnInitializedData = 0x40;
constexpr std::uint32_t kScnExecute = 0x20000000;

void add_data(GpuRegions& regions, SearchRegion region, std::uint64_t file_size) {
  if (region.size == 0 || region.offset >= file_size) {
    return;
  }
  region.size = std::min(region.size, file_size - region.offset);
  const bool made_for_it = is_fatbin_section(region.name) || is_resource_section(region.name);
  (made_for_it ? regions.made_for_it : regions.other_data).push_back(std::move(region));
}

// Hostile files list the same bytes many times over; each byte is searched once. Overlapping
// regions become one, so that a container across the place where the second begins is not lost.
void merge_overlaps(std::vector<SearchRegion>& regions) {
  std::ranges::sort(regions, [](const SearchRegion& a, const SearchRegion& b) {
    return std::tie(a.offset, b.size, a.name) < std::tie(b.offset, a.size, b.name);
  });
  std::vector<SearchRegion> kept;
  for (SearchRegion& region : regions) {
    if (!kept.empty() && region.offset - kept.back().offset < kept.back().size) {
      const std::uint64_t end = region.offset + region.size;
      kept.back().size = std::max(kept.back().size, end - kept.back().offset);
    } else {
      kept.push_back(std::move(region));
    }
  }
  regions = std::move(kept);
}

// What is searched as made for containers is not searched once more as other data. Both lists are
// sorted and free of overlaps.
void cut_out(std::vector<SearchRegion>& regions, const std::vector<SearchRegion>& taken) {
  std::vector<SearchRegion> kept;
  auto next = taken.begin();
  for (const SearchRegion& region : regions) {
    const std::uint64_t end = region.offset + region.size;
    std::uint64_t at = region.offset;
    while (next != taken.end() && next->offset + next->size <= at) {
      ++next;
    }
    for (auto part = next; part != taken.end() && part->offset < end; ++part) {
      if (part->offset > at) {
        kept.push_back({region.name, at, part->offset - at});
      }
      at = part->offset + part->size;
    }
    if (at < end) {
      kept.push_back({region.name, at, end - at});
    }
  }
  regions = std::move(kept);
}

void drop_overlaps(GpuRegions& regions) {
  merge_overlaps(regions.made_for_it);
  merge_overlaps(regions.other_data);
  cut_out(regions.other_data, regions.made_for_it);
}

Result<void> search_all(const Source& source, const std::vector<SearchRegion>& regions,
                        GpuCode& code) {
  std::uint64_t room = kMaxSearched;  // many regions may add up
  for (const SearchRegion& region : regions) {
    if (region.size > room) {
      return fail(ErrorCode::limit, "more data than plumb searches for GPU code (16 GiB)");
    }
    room -= region.size;
    PLUMB_TRY(search_region(source, region, code));
  }
  return {};
}

}  // namespace

bool GpuRegions::registers_code() const {
  return control_records > 0 ||
         std::ranges::any_of(made_for_it, is_fatbin_section, &SearchRegion::name);
}

GpuRegions gpu_regions(const ElfFile& elf, std::uint64_t file_size) {
  GpuRegions regions;
  for (const ElfSection& section : elf.sections) {
    if (section.name == ".nvFatBinSegment") {
      regions.control_records += section.size / kControlRecord;
    } else if (section.type == kShtProgbits && section.allocated() && !section.executable()) {
      add_data(regions, {section.name, section.offset, section.size}, file_size);
    }
  }
  if (elf.sections.empty()) {
    for (const ElfSegment& segment : elf.segments) {
      if (segment.type == kPtLoad && (segment.flags & kPfExecute) == 0) {
        add_data(regions, {"", segment.offset, segment.file_size}, file_size);
      }
    }
  }
  drop_overlaps(regions);
  return regions;
}

GpuRegions gpu_regions(const PeFile& pe, std::uint64_t file_size) {
  GpuRegions regions;
  for (const PeSection& section : pe.sections) {
    if (section.name == ".nvFatBi" || section.name == ".nvFatBinSegment") {
      regions.control_records +=
          std::min<std::uint64_t>(section.virtual_size, section.size) / kControlRecord;
    } else if ((section.characteristics & (kScnCode | kScnExecute)) == 0 &&
               (section.characteristics & kScnInitializedData) != 0) {
      add_data(regions, {section.name, section.offset, section.size}, file_size);
    }
  }
  drop_overlaps(regions);
  return regions;
}

Result<GpuCode> find_gpu_code(const Source& source, const GpuRegions& regions,
                              const SearchReasons& reasons) {
  GpuCode code;
  PLUMB_TRY(search_all(source, regions.made_for_it, code));
  if (reasons.asked || reasons.nvidia_library || regions.control_records > code.containers.size() ||
      (reasons.uses_cuda && !code.has_kernels())) {
    PLUMB_TRY(search_all(source, regions.other_data, code));
  }
  std::ranges::sort(code.containers, {}, &GpuContainer::offset);
  return code;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where in a library to look for GPU code, and how far: between missing code and reading half a
// gigabyte.

#include <cstdint>
#include <vector>

#include "base/source.h"
#include "binary/elf.h"
#include "binary/gpu_search.h"
#include "binary/pe.h"

namespace plumb {

/// The parts of a file that can hold containers.
struct GpuRegions {
  std::vector<SearchRegion> made_for_it;  // .nv_fatbin and its like, and NVIDIA's resource sections
  std::vector<SearchRegion>
      other_data;  // every other part that is data in the file, not instructions
  /// Records of the control section (.nvFatBinSegment): each registers one container, wherever that
  /// lies.
  std::uint64_t control_records = 0;
  /// Made by nvcc's host side: it has a control section, or a section of containers to register.
  [[nodiscard]] bool registers_code() const;
};

[[nodiscard]] GpuRegions gpu_regions(const ElfFile& elf, std::uint64_t file_size);
[[nodiscard]] GpuRegions gpu_regions(const PeFile& pe, std::uint64_t file_size);

/// What makes a search of all data worth its reads.
struct SearchReasons {
  bool asked = false;           // by the user
  bool nvidia_library = false;  // those hand containers to the driver from anywhere
  bool uses_cuda = false;       // needs a CUDA library, or has a control section
};

/// Containers in file order. Beyond the sections made for them, all data is searched if it was
/// asked for, in NVIDIA's own libraries, where more containers are registered than were found
/// (Windows' TensorFlow keeps most in .rdata), and where something uses CUDA but no code was found.
[[nodiscard]] Result<GpuCode> find_gpu_code(const Source& source, const GpuRegions& regions,
                                            const SearchReasons& reasons);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds every fatbin container of a file, by region (files) or as the bytes come by (archive
// members).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "binary/fatbin.h"
#include "binary/gpu_code.h"

namespace plumb {

/// A part of the file that may hold containers.
struct SearchRegion {
  std::string name;  // the section's name; "" = the file has no sections
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// As much is searched in one file. A sparse file of a terabyte costs its maker nothing and would
/// cost minutes; the largest library seen has 2 GB.
inline constexpr std::uint64_t kMaxSearched = std::uint64_t{16} << 30;

/// Sections made for containers: .nv_fatbin, __nv_relfatbin, and their PE names cut to 8 bytes.
[[nodiscard]] bool is_fatbin_section(std::string_view name);
/// Sections in which NVIDIA's libraries keep containers that they hand to the driver themselves.
[[nodiscard]] bool is_resource_section(std::string_view name);

/// Appends the containers of one region to `code`, in file order. From the end of one container the
/// next is looked for by its magic at multiples of 8; a validated container is jumped over, so a
/// region full of containers costs its headers only. Errors: the source's; limit (kMaxSearched,
/// 2^21 images, 2^20 containers, or more false containers than any real file has).
[[nodiscard]] Result<void> search_region(const Source& source, const SearchRegion& region,
                                         GpuCode& code);

/// The same for bytes that come by once. Several candidates may be open at a time (a false magic
/// inside a real container, a real container behind a false magic), at most 32; a container inside
/// another one is dropped. Finds what search_region() finds.
class StreamSearch {
 public:
  explicit StreamSearch(std::uint64_t size);
  /// Takes the next bytes of the file, in order, in pieces of any size.
  void feed(Bytes bytes);
  /// After the last byte: what was found, without place names.
  [[nodiscard]] Result<GpuCode> finish();

 private:
  struct Candidate {
    ContainerParser parser;
    std::vector<std::byte> collected;  // of the bytes it wants, as far as they have come
    std::uint64_t steps = 0;
  };
  struct Ready {
    GpuContainer container;
    std::vector<GpuImage> images;
  };
  void begin(std::uint64_t offset, Bytes before, Bytes bytes);
  void advance(Candidate& candidate, Bytes bytes);
  /// True if the candidate needs no more bytes; one that is done has become ready.
  bool settle(Candidate& candidate);
  void harvest();

  std::uint64_t size_;
  std::uint64_t position_ = 0;   // of the next byte to come
  std::uint64_t settled_ = 0;    // end of the last accepted container
  std::vector<std::byte> tail_;  // the last bytes of the previous piece (a magic may straddle)
  std::vector<Candidate> open_;  // in file order; each still wants bytes
  std::vector<Ready> ready_;     // read, but an open one began before it and may contain it
  std::size_t ready_images_ = 0;
  std::uint64_t false_steps_;  // how many more may lead to nothing
  GpuCode code_;
  std::optional<Error> fault_;
};

/// Names the places of containers by the sections they lie in.
void assign_places(GpuCode& code, const std::vector<SearchRegion>& sections);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compatibility facts of data/*.json, compiled in and parsed on first use, each file on its
// own. Each row there carries its source; here are typed tables and the look-ups that judge and
// observe need. Pure: no files, no environment.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace plumb {

/// 8.9 is {8, 9}.
struct ComputeCapability {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  [[nodiscard]] auto operator<=>(const ComputeCapability&) const = default;
  [[nodiscard]] std::string text() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
  [[nodiscard]] static std::optional<ComputeCapability> parse(std::string_view text);  // "8.9"
};

struct GpuModel {
  std::string name;  // "GeForce RTX 4060 Ti", without "NVIDIA"
  ComputeCapability cc;
  std::string architecture;  // "Ada Lovelace"
  std::string kind;          // "geforce", "workstation", "data centre", "titan", "jetson", "mining"
  bool laptop = false;
  bool unreleased = false;                 // no product: find_gpus leaves it out
  std::vector<std::string> driver_names;   // as drivers print it; may be empty
  std::vector<std::uint16_t> pci_devices;  // device ids under vendor 0x10de
};

struct Architecture {
  ComputeCapability cc;
  std::string name;        // "Hopper"; "" unknown
  std::string first_cuda;  // "11.8"; "" unknown
  std::string last_cuda;   // "" = still supported
  bool tegra = false;
  std::uint32_t last_driver_branch = 0;  // newest branch that sees the card; 0 = no end known
  std::vector<ComputeCapability> sass_runs_on;  // who runs plain SASS of this one
  std::vector<ComputeCapability> family;        // who runs code of its `f` target; empty = has none
};

/// The oldest drivers for programs of one CUDA version. A bare branch ("580") means any driver of
/// that branch: NVIDIA prints no Windows build numbers from CUDA 13 on.
struct CudaDrivers {
  std::string cuda;        // "12.8"
  std::string full_linux;  // driver released with it: whole feature set, and its PTX ISA
  std::string full_windows;
  std::string min_linux;  // enough by minor-version compatibility (CUDA >= 11), else = full
  std::string min_windows;
};

class Catalog {
 public:
  /// The built-in one, thread-safe. A defect in the data is an internal error that tests find.
  [[nodiscard]] static const Catalog& builtin();

  [[nodiscard]] const std::vector<GpuModel>& gpus() const;
  [[nodiscard]] const std::vector<Architecture>& architectures() const;
  [[nodiscard]] const std::vector<CudaDrivers>& cuda_drivers() const;  // oldest first

  /// Cards whose name means what the user wrote: "2080 ti", "rtx2080TI", "NVIDIA GeForce RTX 2080
  /// Ti", "4060 laptop". One hit: it. Several: the caller asks back if their compute capabilities
  /// differ. An exact match (after normalising) wins over longer names, except that a longer name
  /// which only adds qualifiers ("RTX 6000" and "RTX 6000 Ada Generation") comes too where its
  /// compute capability differs: a guess there would be a wrong verdict. Best match first.
  [[nodiscard]] std::vector<const GpuModel*> find_gpus(std::string_view text) const;
  /// At most `count` models whose names look like `text`, nearest first; for "did you mean".
  [[nodiscard]] std::vector<const GpuModel*> nearest_gpus(std::string_view text,
                                                          std::size_t count) const;
  [[nodiscard]] const GpuModel* find_gpu_by_pci(std::uint16_t device) const;
  [[nodiscard]] const Architecture* find_architecture(ComputeCapability cc) const;

  /// Compute capabilities that run code for the `f` target of `cc` (100f: 10.0 10.3 10.7), itself
  /// included; just `cc` where no family is known.
  [[nodiscard]] std::vector<ComputeCapability> family_of(ComputeCapability cc) const;
  /// True if plain SASS built for `built` runs on `card`: same major, minor not lower, and never
  /// between Tegra and other cards. Suffixes are judged elsewhere.
  [[nodiscard]] bool sass_runs_on(ComputeCapability built, ComputeCapability card) const;

  /// The row of "12.8" ("12.8.1" finds it, too); null if unknown.
  [[nodiscard]] const CudaDrivers* find_cuda(std::string_view cuda) const;
  /// A row whose minimum drivers run every program of that CUDA major; null if unknown.
  [[nodiscard]] const CudaDrivers* find_cuda_major(std::uint32_t major) const;
  /// The CUDA version whose driver first knows this PTX ISA ("8.7" -> "12.8"); empty if unknown.
  [[nodiscard]] std::optional<std::string> cuda_of_ptx_isa(std::uint8_t major,
                                                           std::uint8_t minor) const;
  /// The CUDA version that a driver must at least have for this ISA; for an ISA newer than the
  /// table the newest version known, which is the least that is true.
  [[nodiscard]] std::string least_cuda_for_ptx_isa(std::uint8_t major, std::uint8_t minor) const;
  /// The newest CUDA version that a driver takes ("580.65.06" on linux -> "13.0"); empty if
  /// unknown: older than the table, or of a branch newer than the table.
  [[nodiscard]] std::optional<std::string> cuda_of_driver(std::string_view system,
                                                          const Version& driver) const;
  /// The CUDA that a toolkit library's file name tells: "libcudart.so.12" -> "12",
  /// "cudart64_102.dll" -> "10.2", "cufft64_11.dll" -> "12". Wheel repair tools' hashes in the
  /// name do not matter. Empty for names that several majors share (libcurand.so.10).
  [[nodiscard]] std::optional<std::string> cuda_of_library(std::string_view file_name) const;

 private:
  Catalog() = default;
};

}  // namespace plumb

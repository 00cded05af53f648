// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compatibility facts of data/*.json, compiled in and parsed once on first use. Each row there carries its
// source; here are typed tables and the look-ups that judge and observe need. Pure: no files, no environment.

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
  [[nodiscard]] std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
  [[nodiscard]] static std::optional<ComputeCapability> parse(std::string_view text);  // "8.9"
};

struct GpuModel {
  std::string name;  // "GeForce RTX 4060 Ti", without "NVIDIA"
  ComputeCapability cc;
  std::string architecture;             // "Ada Lovelace"
  bool laptop = false;
  std::vector<std::uint16_t> pci_devices;  // device ids under vendor 0x10de
};

struct Architecture {
  ComputeCapability cc;
  std::string name;         // "Hopper"
  std::string first_cuda;   // "11.8"; "" unknown
  std::string last_cuda;    // "" = still supported
  bool tegra = false;
};

/// The oldest drivers for programs of one CUDA version.
struct CudaDrivers {
  std::string cuda;          // "12.8"
  std::string full_linux;    // driver released with it: whole feature set, and its PTX ISA
  std::string full_windows;
  std::string min_linux;     // enough by minor-version compatibility (CUDA >= 11), else = full
  std::string min_windows;
};

class Catalog {
 public:
  /// The built-in one; parsed on first call, thread-safe. A defect in the data is an internal error that tests find.
  [[nodiscard]] static const Catalog& builtin();

  [[nodiscard]] const std::vector<GpuModel>& gpus() const { return gpus_; }
  [[nodiscard]] const std::vector<Architecture>& architectures() const { return architectures_; }
  [[nodiscard]] const std::vector<CudaDrivers>& cuda_drivers() const { return cuda_drivers_; }

  /// Cards whose name means what the user wrote: "2080 ti", "rtx2080TI", "NVIDIA GeForce RTX 2080 Ti", "4060 laptop".
  /// One hit: it. Several: the caller asks back. An exact match (after normalising) wins over longer names.
  [[nodiscard]] std::vector<const GpuModel*> find_gpus(std::string_view text) const;
  [[nodiscard]] const GpuModel* find_gpu_by_pci(std::uint16_t device) const;
  [[nodiscard]] const Architecture* find_architecture(ComputeCapability cc) const;

  /// Compute capabilities of the family that an `f` target of `cc` covers (100f: 10.0 10.3), itself included.
  [[nodiscard]] std::vector<ComputeCapability> family_of(ComputeCapability cc) const;
  /// Tegra capabilities and others do not share cubins across (sm_87 code on 8.6 ...): true if SASS built for `built` runs
  /// on `card` by the minor-version rule, Tegra's exceptions included. Suffixes are judged elsewhere.
  [[nodiscard]] bool sass_runs_on(ComputeCapability built, ComputeCapability card) const;

  /// The row of "12.8"; null if unknown.
  [[nodiscard]] const CudaDrivers* find_cuda(std::string_view cuda) const;
  /// The CUDA version whose driver first knows this PTX ISA ("8.7" -> "12.8"); empty if unknown.
  [[nodiscard]] std::optional<std::string> cuda_of_ptx_isa(std::uint8_t major, std::uint8_t minor) const;
  /// The newest CUDA version that a driver takes ("580.65.06" on linux -> "13.0"); empty if unknown.
  [[nodiscard]] std::optional<std::string> cuda_of_driver(std::string_view system, const Version& driver) const;

 private:
  Catalog() = default;
  friend struct CatalogLoader;
  std::vector<GpuModel> gpus_;
  std::vector<Architecture> architectures_;
  std::vector<CudaDrivers> cuda_drivers_;
  struct IsaRow {
    std::uint8_t major, minor;
    std::string cuda;
  };
  std::vector<IsaRow> isas_;
  std::vector<std::vector<ComputeCapability>> families_;
};

}  // namespace plumb

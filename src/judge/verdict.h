// SPDX-License-Identifier: Apache-2.0
#pragma once
// Can this card run the GPU code of this file? Counted container by container, since one container is one compiled
// source file: the union of a file's targets says yes where most kernels have nothing for the card.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binary/binary_facts.h"
#include "catalog/catalog.h"

namespace plumb {

/// The card a verdict is asked for.
struct Card {
  std::string name;  // "GeForce RTX 2080 Ti"; or "compute capability 7.5" when only that is known
  ComputeCapability cc;
};

enum class VerdictResult : std::uint8_t { native, jit, partial, none };
[[nodiscard]] std::string_view verdict_name(VerdictResult result);  // "native" ...

struct ContainerCounts {
  std::uint32_t native = 0;
  std::uint32_t jit = 0;
  std::uint32_t none = 0;
};

struct Verdict {
  Card card;
  VerdictResult result = VerdictResult::none;
  /// Over all containers with code, those aside whose image for this card is empty.
  ContainerCounts counts;
  /// Over the general containers only (binary made for every card), which decide the result.
  ContainerCounts general;
  /// By the targets alone, empty images taken for code: what a lister of architectures would say.
  ContainerCounts listed;
  std::uint32_t empty = 0;            // containers set aside: without code for anybody, or empty for this card
  std::vector<std::string> by;        // targets that serve it: "sm_75", "compute_80"
  std::string driver_linux;           // for jit: the least driver that knows the PTX; "" = any that runs the runtime
  std::string driver_windows;
  std::string rule;                   // permanent name of the rule that decided: "sass.same_major_newer_minor" ...
};

/// Pure. `self_dispatching`: the library picks its container itself (NVIDIA's redistributables): any usable,
/// non-empty code is enough.
[[nodiscard]] Verdict judge_gpu_code(const GpuCode& code, const Card& card, const Catalog& catalog,
                                     bool self_dispatching = false);

/// True for NVIDIA's redistributable libraries by soname / DLL name (libcublasLt.so.13, cudnn64_9.dll).
[[nodiscard]] bool is_nvidia_redistributable(const BinaryFacts& facts);

struct WheelVerdict {
  Verdict verdict;                        // of the main library, lowered to partial if another is not served
  std::string main_library;               // its path in the wheel
  std::vector<std::string> unserved;      // own libraries that are partial or none where the main one is served
};
/// `members`: the wheel's binaries. Bundled NVIDIA redistributables do not count as its own libraries.
[[nodiscard]] std::optional<WheelVerdict> judge_wheel(const std::vector<const BinaryFacts*>& members,
                                                      const Card& card, const Catalog& catalog);

/// The least driver for a binary as built, per system, and why.
struct DriverNeed {
  std::string linux_driver;    // "580.65.06"; "" = not known
  std::string windows_driver;
  std::string why;             // one sentence, English
};
/// Empty if the binary has nothing to do with CUDA.
[[nodiscard]] std::optional<DriverNeed> driver_need(const BinaryFacts& facts, const Catalog& catalog);

/// Which toolkit made the GPU code: newest version that cubins and PTX name ("13.0"); from the imported runtime's name
/// only the major ("13"). Empty if nothing says so.
[[nodiscard]] std::optional<std::string> built_with(const BinaryFacts& facts, const Catalog& catalog);

}  // namespace plumb

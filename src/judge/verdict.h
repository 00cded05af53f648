// SPDX-License-Identifier: Apache-2.0
#pragma once
// Can this card run the GPU code of this file? Counted container by container, since one container
// is one compiled source file: the union of a file's targets says yes where most kernels have
// nothing for the card.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  [[nodiscard]] bool operator==(const ContainerCounts&) const = default;
};

/// The rule that decided. Permanent names:
///   sass.same            native: SASS built for exactly this compute capability
///   sass.same_major      native: SASS of the same major and a lower minor (sm_86 on 8.9)
///   sass.arch_specific   native: SASS of an `a` target, which runs on this capability alone
///   sass.family          native: SASS of an `f` target whose family the card belongs to
///                        (several serve: the one that serves most containers is named)
///   ptx.jit              jit: some or all of it is compiled by the driver at first start
///   self_dispatching     native or jit: NVIDIA's library picks its code itself; any is enough
///   partial              some modules have nothing for the card
///   partial.other_library  the wheel's main library is served, another of its own is not
///   none.no_target       nothing was built for this card
///   none.only_empty      only images without a kernel were built for it
///   none.only_lto        only link-time code (LTO), which a driver cannot load by itself
///   none.no_code         the file has no GPU code
struct Verdict {
  Card card;
  VerdictResult result = VerdictResult::none;
  /// Over all containers with code, those aside whose image for this card is empty.
  ContainerCounts counts;
  /// Over the general containers only (made for every card), which decide the result.
  ContainerCounts general;
  /// By the targets alone, empty images taken for code: what a lister of targets would say.
  ContainerCounts listed;
  std::uint32_t empty = 0;      // containers set aside: without code at all, or empty for this card
  std::vector<std::string> by;  // targets that serve it, SASS first: "sm_75", "compute_80"
  /// Where PTX is needed: the least driver that knows both that PTX and the card; a bare branch
  /// ("590") means any driver of it. "" = any driver that runs the program.
  std::string driver_linux;
  std::string driver_windows;
  std::string rule;
  std::string library;  // wheels: path of the library that it is about
};

/// Pure. `self_dispatching`: the library picks its container itself (NVIDIA's redistributables):
/// any usable, non-empty code is enough.
[[nodiscard]] Verdict judge_gpu_code(const GpuCode& code, const Card& card, const Catalog& catalog,
                                     bool self_dispatching = false);

/// True for NVIDIA's redistributable libraries by soname / DLL name (libcublasLt.so.13,
/// cudnn64_9.dll), also as wheel repair tools rename them.
[[nodiscard]] bool is_nvidia_redistributable(const BinaryFacts& facts);

struct WheelVerdict {
  Verdict verdict;           // of the main library, lowered to partial if another is not served
  std::string main_library;  // its path in the wheel, as in verdict.library
  std::vector<std::string> unserved;  // own libraries that are served worse than the main one
};
/// `members`: the wheel's binaries. The main library is the own one with the most general
/// containers. Bundled NVIDIA redistributables do not count as own libraries; a wheel that holds
/// nothing else (nvidia-cublas-cu12) is judged by the largest of them, cuDNN by cudnn_ops, and the
/// others are not named: such a set has parts for some cards alone. Libraries whose names differ by
/// a CUDA version alone (libbitsandbytes_cuda126.so, ..._cuda130.so) are one: the loader takes the
/// one that fits, so the main library may differ from card to card. Empty: no GPU code in it.
[[nodiscard]] std::optional<WheelVerdict> judge_wheel(
    const std::vector<const BinaryFacts*>& members, const Card& card, const Catalog& catalog);

/// The least driver for a binary as built, per system, and why.
struct DriverNeed {
  std::string linux_driver;  // "580.65.06", or a bare branch: any driver of it; "" = not known
  std::string windows_driver;
  std::string why;  // one sentence, English
};
/// Empty if the binary has nothing to do with CUDA. A need for PTX newer than the driver counts
/// only where the file has no SASS: else the SASS serves, and judge_gpu_code says for which card.
[[nodiscard]] std::optional<DriverNeed> driver_need(const BinaryFacts& facts,
                                                    const Catalog& catalog);

/// Which toolkit made the GPU code: the newest version that cubins and PTX name ("13.0"); from an
/// imported runtime's name only the major ("13"). Empty if nothing says so.
[[nodiscard]] std::optional<std::string> built_with(const BinaryFacts& facts,
                                                    const Catalog& catalog);

}  // namespace plumb

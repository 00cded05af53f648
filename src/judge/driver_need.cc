// SPDX-License-Identifier: Apache-2.0
// The least driver for a binary as built. From CUDA 11 on, a program runs on any driver of its
// major's first branch ("minor-version compatibility"); before that it needs the driver of its own
// toolkit. PTX is another matter: the driver must know its ISA, which only its own CUDA version
// or a newer one does - but while there is SASS, PTX is only a second choice.

#include <algorithm>
#include <utility>

#include "binary/nvidia_names.h"
#include "judge/verdict.h"

namespace plumb {
namespace {

constexpr std::uint32_t kFirstCompatibleMajor = 11;

bool concerns_cuda(const BinaryFacts& facts) {
  const auto named = [](const std::vector<std::string>& names) {
    return std::ranges::any_of(names,
                               [](const std::string& name) { return is_cuda_library(name); });
  };
  return !facts.gpu.none() || facts.cudart != Cudart::none || named(facts.needs) ||
         named(facts.delay_needs) || is_nvidia_redistributable(facts);
}

std::string branch_of(const std::string& driver) {
  return "R" + driver.substr(0, driver.find('.'));
}

/// By the CUDA version alone.
DriverNeed need_of_cuda(const std::string& cuda, const Catalog& catalog) {
  const auto version = Version::parse(cuda);
  const std::uint32_t major = version ? version->major() : 0;
  const bool whole = cuda.find('.') != std::string::npos;
  const CudaDrivers* row = whole ? catalog.find_cuda(cuda) : nullptr;
  if (row == nullptr && (major >= kFirstCompatibleMajor || !whole)) {
    row = catalog.find_cuda_major(major);
  }
  DriverNeed need;
  need.why = (whole ? "built for CUDA " : "needs libraries of CUDA ") + cuda;
  if (row == nullptr) {
    const auto& rows = catalog.cuda_drivers();
    const auto oldest = rows.empty() ? std::nullopt : Version::parse(rows.front().cuda);
    need.why += version && oldest && *version < *oldest
                    ? ": any driver that still supports the card"
                    : ", of which this version of plumb knows no drivers";
    return need;
  }
  need.linux_driver = row->min_linux;
  need.windows_driver = row->min_windows;
  if (major >= kFirstCompatibleMajor) {
    need.why += ": the oldest driver for any " + std::to_string(major) + ".x program is " +
                branch_of(row->min_linux);
  } else {
    need.why += ": before CUDA 11, a program needs the driver of its own toolkit or a newer one";
  }
  return need;
}

void raise(std::string& driver, const std::string& other) {
  const auto known = Version::parse(driver);
  const auto asked = Version::parse(other);
  if (asked && (!known || *asked > *known)) {
    driver = other;
  }
}

/// A file of PTX alone starts nowhere where the driver does not know its ISA.
void add_ptx_only(DriverNeed& need, const GpuCode& code, const Catalog& catalog) {
  const GpuImage* newest = nullptr;
  for (const GpuImage& image : code.images) {
    if (image.kind == ImageKind::cubin && !image.empty) {
      return;
    }
    if (image.kind == ImageKind::ptx &&
        (newest == nullptr || std::pair(image.isa_major, image.isa_minor) >
                                  std::pair(newest->isa_major, newest->isa_minor))) {
      newest = &image;
    }
  }
  if (newest == nullptr) {
    return;
  }
  const std::string cuda = catalog.least_cuda_for_ptx_isa(newest->isa_major, newest->isa_minor);
  need.why += "; it holds PTX alone (ISA " + std::to_string(newest->isa_major) + "." +
              std::to_string(newest->isa_minor) + "), which takes a driver of CUDA " + cuda +
              " or newer";
  if (const CudaDrivers* row = catalog.find_cuda(cuda)) {
    raise(need.linux_driver, row->full_linux);
    raise(need.windows_driver, row->full_windows);
  }
}

}  // namespace

std::optional<DriverNeed> driver_need(const BinaryFacts& facts, const Catalog& catalog) {
  if (!concerns_cuda(facts)) {
    return std::nullopt;
  }
  const auto cuda = built_with(facts, catalog);
  DriverNeed need;
  if (cuda) {
    need = need_of_cuda(*cuda, catalog);
  } else {
    need.why = "uses CUDA, and nothing in the file says which version";
  }
  add_ptx_only(need, facts.gpu, catalog);
  return need;
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// CUDA versions, PTX ISAs, driver branches and library names: what asks for which driver.

#include <algorithm>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/table.h"

namespace plumb {
namespace {

struct Isa {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::string cuda;
};

struct Branch {
  std::uint32_t number = 0;         // as Linux drivers carry it
  std::uint32_t windows_first = 0;  // Windows builds may begin at another number: R615 is 616
  std::string newest_cuda;
};

struct Library {
  std::string file;  // lower case
  std::string cuda;  // "12", or "10.2" where the name tells the minor, too
};

std::vector<CudaDrivers> load_cuda_drivers() {
  std::vector<CudaDrivers> result;
  for_each_row(embedded::cuda_toolkits_json, [&result](const Row& row) {
    result.push_back({.cuda = row.text("cuda"),
                      .full_linux = row.text("full_linux"),
                      .full_windows = row.text("full_windows"),
                      .min_linux = row.text("min_linux"),
                      .min_windows = row.text("min_windows")});
  });
  return result;
}

std::vector<Isa> load_isas() {
  std::vector<Isa> result;
  for_each_row(embedded::ptx_isa_json, [&result](const Row& row) {
    if (const auto isa = Version::parse(row.text("isa"))) {
      result.push_back({.major = isa->major(), .minor = isa->minor(), .cuda = row.text("cuda")});
    }
  });
  return result;
}

const std::vector<Isa>& isas() {
  static const std::vector<Isa> table = load_isas();
  return table;
}

std::vector<Branch> load_branches() {
  std::vector<Branch> result;
  for_each_row(embedded::drivers_json, [&result](const Row& row) {
    const std::uint32_t number = row.number("branch").value_or(0);
    const auto windows = row.numbers("windows");
    result.push_back({.number = number,
                      .windows_first = windows.empty() ? number : windows.front(),
                      .newest_cuda = row.text("newest_cuda")});
  });
  std::ranges::sort(result, {}, &Branch::number);
  return result;
}

std::vector<Library> load_libraries() {
  std::vector<Library> result;
  for_each_row(embedded::cuda_libraries_json, [&result](const Row& row) {
    const std::string first = row.text("first_cuda");
    std::string cuda = first == row.text("last_cuda") ? first : first.substr(0, first.find('.'));
    result.push_back({.file = to_lower_ascii(row.text("file")), .cuda = std::move(cuda)});
  });
  return result;
}

bool is_hash(std::string_view text) {
  constexpr std::size_t kShortest = 5;
  return text.size() >= kShortest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "libcudart-9335f6a2.so.11.0" (auditwheel) -> "libcudart.so.11.0"; delvewheel's alike.
std::string without_hash(std::string name) {
  const std::size_t dash = name.find('-');
  const std::size_t dot = dash == std::string::npos ? dash : name.find('.', dash);
  if (dot != std::string::npos &&
      is_hash(std::string_view(name).substr(dash + 1, dot - dash - 1))) {
    name.erase(dash, dot - dash);
  }
  return name;
}

}  // namespace

const std::vector<CudaDrivers>& Catalog::cuda_drivers() const {
  static const std::vector<CudaDrivers> table = load_cuda_drivers();
  return table;
}

const CudaDrivers* Catalog::find_cuda(std::string_view cuda) const {
  const auto wanted = Version::parse(cuda);
  if (!wanted || cuda.find('.') == std::string_view::npos) {
    return nullptr;
  }
  for (const CudaDrivers& row : cuda_drivers()) {
    const auto version = Version::parse(row.cuda);
    if (version && version->major() == wanted->major() && version->minor() == wanted->minor()) {
      return &row;
    }
  }
  return nullptr;
}

const CudaDrivers* Catalog::find_cuda_major(std::uint32_t major) const {
  const CudaDrivers* best = nullptr;
  std::optional<Version> best_driver;
  for (const CudaDrivers& row : cuda_drivers()) {
    const auto version = Version::parse(row.cuda);
    const auto driver = Version::parse(row.min_linux);
    if (version && driver && version->major() == major &&
        (!best_driver || *driver > *best_driver)) {
      best = &row;
      best_driver = driver;
    }
  }
  return best;
}

std::optional<std::string> Catalog::cuda_of_ptx_isa(std::uint8_t major, std::uint8_t minor) const {
  for (const Isa& isa : isas()) {
    if (isa.major == major && isa.minor == minor) {
      return isa.cuda;
    }
  }
  return std::nullopt;
}

std::string Catalog::least_cuda_for_ptx_isa(std::uint8_t major, std::uint8_t minor) const {
  for (const Isa& isa : isas()) {  // oldest first
    if (std::pair(isa.major, isa.minor) >= std::pair<std::uint32_t, std::uint32_t>(major, minor)) {
      return isa.cuda;
    }
  }
  return isas().empty() ? std::string() : isas().back().cuda;
}

std::optional<std::string> Catalog::cuda_of_driver(std::string_view system,
                                                   const Version& driver) const {
  static const std::vector<Branch> table = load_branches();
  const bool windows = system == "windows";
  // A number between two branches (a beta, a Windows build) belongs to the lower one. The newest
  // branch has a known number alone: one above it is a branch that this table does not have.
  constexpr std::uint32_t kBranchWidth = 5;
  const Branch* found = nullptr;
  for (const Branch& branch : table) {
    if (driver.major() >= (windows ? branch.windows_first : branch.number)) {
      found = &branch;
    }
  }
  if (found == nullptr ||
      (found == &table.back() && driver.major() >= found->number + kBranchWidth)) {
    return std::nullopt;
  }
  return found->newest_cuda;
}

std::optional<std::string> Catalog::cuda_of_library(std::string_view file_name) const {
  static const std::vector<Library> table = load_libraries();
  file_name.remove_prefix(file_name.find_last_of("/\\") + 1);
  const std::string name = without_hash(to_lower_ascii(file_name));
  for (const Library& library : table) {
    // A soname's file may carry more version parts: libcublas.so.12.1.3.1.
    if (name == library.file ||
        (library.file.find(".so.") != std::string::npos && name.starts_with(library.file + "."))) {
      return library.cuda;
    }
  }
  return std::nullopt;
}

}  // namespace plumb

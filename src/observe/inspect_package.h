// SPDX-License-Identifier: Apache-2.0
#pragma once
// What wheels and conda packages have in common: members are read once from front to back, with
// their GPU code found in passing, and then by their headers.

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/source.h"
#include "observe/inspect.h"

namespace plumb {

/// By the ending: .whl, .conda, .tar.bz2.
[[nodiscard]] bool is_package_name(std::string_view path);

/// The package and its binary members, in the order of their names.
[[nodiscard]] Inspection inspect_package(const std::string& path, const Source& source,
                                         const InspectOptions& options);

/// Sets package.gpu to the union of the members' GPU code: images and containers of all, without
/// offsets.
void unite_gpu_code(BinaryFacts& package, std::span<const InspectedFile> members);

/// Passes a member's bytes to the consumer, from front to back.
using ReadMember = std::function<Result<void>(const std::function<Result<void>(Bytes)>&)>;

struct PackageMember {
  std::optional<BinaryFacts> facts;  // empty: not a binary
  std::vector<Error> faults;
};

/// Reads one member. A member that is no binary is not read beyond its first bytes.
[[nodiscard]] Result<PackageMember> read_package_member(const Source& member,
                                                        const ReadMember& read_forward,
                                                        const InspectOptions& options);

/// A ReadMember for any source.
[[nodiscard]] Result<void> read_in_pieces(const Source& source,
                                          const std::function<Result<void>(Bytes)>& consume);

/// Bounds what the facts of all members of one package take while the package is read. Thread-safe.
class KeptMemory {
 public:
  /// Error: limit, once they take more than 64 MB; real packages take some 2 MB.
  [[nodiscard]] Result<void> add(const BinaryFacts& facts);

 private:
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace plumb

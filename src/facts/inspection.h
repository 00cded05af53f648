// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `inspect` saw: plain values from observe/inspect.h for judge and report.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "binary/binary_facts.h"

namespace plumb {

/// What a wheel or conda package says of itself.
struct PackageFacts {
  std::string name;
  std::string version;
  std::string requires_python;
  std::vector<std::string> tags;          // "cp312-cp312-manylinux_2_28_x86_64"
  std::vector<std::string> gpu_requires;  // whole Requires-Dist lines on GPU packages
  std::vector<std::string> warnings;      // "the file name says 1.0, METADATA says 1.1"
  std::uint64_t unpacked_size = 0;
  std::optional<std::uint64_t> verified_members;  // with --verify: how many agreed with RECORD
};

/// A wheel is followed by its binary members: facts.gpu of the wheel is their union.
struct InspectedFile {
  BinaryFacts facts;
  std::optional<PackageFacts> package;
  std::uint32_t member_count = 0;  // binaries that follow and belong to this package
};

struct InspectError {
  std::string path;     // the file, or the member inside `archive`
  std::string archive;  // "" for a file of its own
  Error error;
};

struct Inspection {
  std::vector<InspectedFile> files;
  std::vector<InspectError> errors;
  std::uint64_t files_seen = 0;  // looked at, binaries or not
  std::uint64_t bytes_seen = 0;  // their sizes
  bool complete = true;          // false: stopped early by Ctrl-C, so files are missing
};

}  // namespace plumb

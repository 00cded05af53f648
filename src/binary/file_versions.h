// SPDX-License-Identifier: Apache-2.0
#pragma once
// The versions that NVIDIA's libraries hold in their own bytes, for a file whose headers are read.

#include <map>
#include <string>

#include "base/source.h"
#include "binary/elf.h"
#include "binary/pe.h"

namespace plumb {

/// Library -> version as read_library_versions() says; empty for libraries of others.
[[nodiscard]] std::map<std::string, std::string> read_file_versions(const Source& source,
                                                                    const ElfFile& elf);
[[nodiscard]] std::map<std::string, std::string> read_file_versions(const Source& source,
                                                                    const PeFile& pe);

}  // namespace plumb

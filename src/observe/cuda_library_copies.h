// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every copy of NVIDIA's CUDA libraries that a loader or a framework may come across: folders are
// listed, and the headers of a few files are read.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/library_cache.h"
#include "facts/cuda_software.h"
#include "observe/cuda_files.h"

namespace plumb {

struct LibraryCopies {
  std::vector<CudaLibraryCopy> copies;
  std::uint64_t folders_listed = 0;
  std::vector<Error> errors;
};

inline constexpr std::size_t kMostLibraryFolders = 4096;

/// `cache` is Linux's ld.so.cache, `extra_folders` site-packages folders and conda prefixes. At
/// most `most_folders` folders are listed and 4096 files told; `errors` say if that was too few.
[[nodiscard]] LibraryCopies find_cuda_libraries(CudaFiles& files,
                                                const std::vector<CachedLibrary>& cache,
                                                const std::vector<CudaToolkit>& toolkits,
                                                const std::vector<std::string>& extra_folders,
                                                std::size_t most_folders = kMostLibraryFolders);

/// A library of the CUDA family by its file name, zlibwapi.dll (which cuDNN asks for) included.
[[nodiscard]] bool is_cuda_family_file(std::string_view name, bool windows);

}  // namespace plumb

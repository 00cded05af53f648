// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_software.h"

#include <utility>

#include "observe/cuda_files.h"
#include "observe/cuda_library_copies.h"
#include "observe/cuda_toolkits.h"
#include "observe/cudnn_sets.h"
#include "observe/host_compilers.h"

namespace plumb {

CudaSoftware observe_cuda_software(const Host& host, const std::vector<CachedLibrary>& cache,
                                   const std::vector<std::string>& extra_folders) {
  CudaFiles files(host);
  std::vector<std::string> folders;
  folders.reserve(extra_folders.size());
  for (const std::string& folder : extra_folders) {
    folders.push_back(files.real_files().there(folder));
  }
  CudaSoftware software;
  software.cuda = observe_cuda_toolkits(files, folders);
  software.compilers = observe_host_compilers(files);
  for (CudaToolkit& toolkit : software.cuda.toolkits) {
    if (toolkit.limits) {
      toolkit.verdicts = judge_compilers(*toolkit.limits.value, software.compilers);
    }
  }
  LibraryCopies found = find_cuda_libraries(files, cache, software.cuda.toolkits, folders);
  software.libraries = std::move(found.copies);
  software.folders_listed = found.folders_listed;
  software.errors = std::move(found.errors);
  software.headers = find_library_headers(files, software.cuda.toolkits, software.libraries);
  software.cudnn = find_cudnn_sets(files, software.libraries, software.headers);
  software.errors.insert(software.errors.end(), files.faults().begin(), files.faults().end());
  return software;
}

}  // namespace plumb

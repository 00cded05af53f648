// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files as the probes of CUDA's software ask for them: by the machine's own paths, each folder
// listed once however many probes ask.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "observe/host.h"
#include "observe/real_files.h"
#include "os/file.h"

namespace plumb {

class CudaFiles {
 public:
  explicit CudaFiles(const Host& host);

  [[nodiscard]] const Host& host() const { return host_; }
  [[nodiscard]] bool windows() const { return windows_; }
  [[nodiscard]] RealFiles& real_files() { return files_; }

  /// `parts` with '/' between them, below `folder`, with that machine's separator.
  [[nodiscard]] std::string join(std::string_view folder, std::string_view parts) const;
  /// Up to the last separator; "" if there is none.
  [[nodiscard]] std::string parent(std::string_view path) const;
  [[nodiscard]] bool is_folder(const std::string& path);
  [[nodiscard]] bool is_file(const std::string& path);
  /// Links followed, within the machine looked at.
  [[nodiscard]] std::string real(const std::string& path);
  /// The same text for every path to this file or folder; "" if there is none.
  [[nodiscard]] std::string identity(const std::string& path);
  /// Empty where it is not there or cannot be read. Good as long as this.
  [[nodiscard]] const std::vector<DirectoryEntry>& list(const std::string& folder);
  [[nodiscard]] Result<std::string> text(const std::string& path, std::uint64_t cap = 1 << 20);
  /// Folders that are there but could not be listed, at most 64.
  [[nodiscard]] const std::vector<Error>& faults() const { return faults_; }
  /// The first `limit` bytes.
  [[nodiscard]] Result<std::string> start(const std::string& path, std::uint64_t limit);
  /// C:\\Program Files of that machine.
  [[nodiscard]] std::string program_files() const;
  [[nodiscard]] std::string program_data() const;
  /// PATH or another list of folders, as that machine writes it: without empty elements and quotes,
  /// and at most `most` of them.
  [[nodiscard]] std::vector<std::string> path_list(const std::string& variable, std::size_t most);

 private:
  const Host& host_;
  bool windows_;
  RealFiles files_;
  std::unordered_map<std::string, std::vector<DirectoryEntry>> lists_;
  std::vector<Error> faults_;
};

}  // namespace plumb

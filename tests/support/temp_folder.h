// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder for one test, removed with all that is in it.

#include <filesystem>
#include <string>
#include <string_view>

namespace plumb::test {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  /// UTF-8, as plumb's own functions take it. `name` is below the folder, with '/' between its
  /// parts.
  [[nodiscard]] std::string path(std::string_view name = "") const;
  /// The same for the standard library.
  [[nodiscard]] std::filesystem::path native(std::string_view name = "") const;
  /// Writes a file, making the folders above it; returns path(name).
  std::string write(std::string_view name, std::string_view bytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace plumb::test

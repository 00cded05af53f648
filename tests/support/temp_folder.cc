// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.h"

#include <fstream>
#include <random>
#include <system_error>

namespace plumb::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::random_device random;
  do {
    folder_ = fs::temp_directory_path() / ("plumb-test-" + std::to_string(random()));
  } while (!fs::create_directory(folder_));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path TempFolder::native(std::string_view name) const {
  const std::u8string utf8(name.begin(), name.end());
  fs::path file = name.empty() ? folder_ : folder_ / fs::path(utf8);
  return file.make_preferred();
}

std::string TempFolder::path(std::string_view name) const {
  const std::u8string utf8 = native(name).u8string();
  return {utf8.begin(), utf8.end()};
}

std::string TempFolder::write(std::string_view name, std::string_view bytes) const {
  const fs::path file = native(name);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path(name);
}

}  // namespace plumb::test

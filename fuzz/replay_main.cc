// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files of a corpus folder (or single files), each from a heap buffer
// of exactly its size, so that a sanitizer sees the first byte read too far. The stand-in for
// libFuzzer in ordinary builds.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    std::fputs("no corpus files: a fuzz target comes with some\n", stderr);
    return 1;
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::printf("%s\n", file.filename().string().c_str());
    std::fflush(stdout);  // the last name printed is the input that crashed
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::fputs("cannot be opened\n", stderr);
      return 1;
    }
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(file));
    const auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    stream.read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(size));
    LLVMFuzzerTestOneInput(bytes.get(), size);
  }
  std::printf("%zu inputs\n", files.size());
  return 0;
}

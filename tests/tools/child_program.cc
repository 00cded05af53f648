// SPDX-License-Identifier: Apache-2.0
// A program that behaves as its first argument says, for the tests of os/child_process.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "os/child_process.h"
#include "os/environment.h"
#include "os/terminal.h"

namespace {

using plumb::Stream;
using plumb::write_stream;

int hang() {
  std::this_thread::sleep_for(std::chrono::hours{1});
  return 0;
}

int crash() {
  plumb::die_quietly();
  volatile std::uintptr_t address = 64;
  *reinterpret_cast<volatile int*>(address) = 1;
  return 0;
}

int flood(std::size_t bytes) {
  const std::string block(1U << 16U, 'x');
  for (std::size_t done = 0; done < bytes; done += block.size()) {
    write_stream(Stream::out, block);
    write_stream(Stream::err, block);
  }
  return 0;
}

// A child of its own that writes a mark into a file as long as it lives.
int start_marker(const std::string& file) {
  std::thread([&] {
    static_cast<void>(plumb::run_child({plumb::own_program_path(), {"mark", file}, {}}));
  }).detach();
  return hang();
}

int mark(const std::string& file) {
  while (true) {
    if (std::FILE* out = std::fopen(file.c_str(), "ab"); out != nullptr) {
      static_cast<void>(std::fputc('x', out));
      static_cast<void>(std::fclose(out));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = plumb::command_line(argc, argv);
  const std::string word = words.size() > 1 ? words[1] : "";
  const std::string value = words.size() > 2 ? words[2] : "";
  if (word == "words") {
    for (const std::string& each : words) {
      write_stream(Stream::out, each == words[0] ? "" : "[" + each + "]");
    }
  } else if (word == "variable") {
    write_stream(Stream::out, plumb::get_environment(value).value_or("not set"));
  } else if (word == "input") {
    write_stream(Stream::out, std::getchar() == EOF ? "empty" : "something");
  } else if (word == "exit") {
    write_stream(Stream::err, "oh");
    return std::atoi(value.c_str());
  } else if (word == "flood") {
    return flood(std::strtoull(value.c_str(), nullptr, 10));
  } else if (word == "hang") {
    write_stream(Stream::out, "before");
    return hang();
  } else if (word == "crash") {
    write_stream(Stream::out, "before");
    return crash();
  } else if (word == "start") {
    return start_marker(value);
  } else if (word == "mark") {
    return mark(value);
  }
  return 0;
}

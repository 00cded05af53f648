// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the Linux loader of a machine starts from: its variables, its cache and what is built into
// its ld.so, read from that file's bytes.

#include <string>
#include <string_view>

#include "loader/linux_process.h"
#include "observe/host.h"

namespace plumb {

/// `program` decides which ld.so it is (its PT_INTERP); where it names none, that of its machine.
/// What is there and cannot be read (a damaged ld.so.cache) goes to `errors`.
[[nodiscard]] LinuxSettings observe_linux_settings(const Host& host, FileView& files,
                                                   const std::string& program,
                                                   std::vector<Error>& errors);

/// What glibc builds into ld.so. Text of a file without it gives empty values.
struct BuiltIntoLoader {
  std::vector<std::string> default_folders;  // "/lib/x86_64-linux-gnu"
  int glibc_minor = 0;                       // 36 of 2.36; 0 = not told
};
[[nodiscard]] BuiltIntoLoader find_built_into_loader(std::string_view bytes);

}  // namespace plumb

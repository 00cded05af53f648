// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a replayed process says of its libraries: which file was taken, by which rule, who needs it,
// and which other files of that name there are.

#include <cstddef>
#include <string>
#include <vector>

#include "loader/framework_loading.h"
#include "loader/linux_process.h"
#include "loader/windows_process.h"

namespace plumb {

struct LibraryLoser {
  std::string path;
  std::string version;  // "" = not known; filled in by who reads files
  std::string why;      // "comes later in the search: ld.so.cache"
};

struct LibraryChoice {
  std::string library;    // the name that was asked for: "libcudnn.so.9"
  std::string framework;  // for which: "torch"; "" = for none
  bool found = false;
  std::string path;       // of the chosen file
  std::string opened_as;  // the path by which the loader opened it, links not followed
  std::string rule;       // rule_name()
  std::string detail;     // "RPATH $ORIGIN/../../nvidia/cudnn/lib of .../libtorch_cuda.so"
  std::string version;    // filled in by who reads files
  std::string fault;      // why none was chosen
  bool optional = false;  // who asks goes on without it
  std::size_t depth = 0;  // in a tree: 0 = the file itself needs it
  bool delayed = false;   // Windows: looked up at its first call only
  std::vector<LibraryLoser> losers;
  std::vector<std::string> needed_by;
};

/// The library that is `object` in the process.
[[nodiscard]] LibraryChoice choice_of(const LinuxProcess& process, std::size_t object,
                                      const std::vector<std::string>& known_folders);
[[nodiscard]] LibraryChoice choice_of(const WindowsProcess& process, std::size_t object,
                                      const std::vector<std::string>& known_folders);

/// A name that led to nothing, when `asker` wanted it.
[[nodiscard]] LibraryChoice no_choice(const LinuxProcess& process, const std::string& name,
                                      std::size_t asker, const std::string& fault,
                                      const std::vector<std::string>& known_folders);
[[nodiscard]] LibraryChoice no_choice(const WindowsProcess& process, const std::string& name,
                                      std::size_t asker, const std::string& fault,
                                      const std::vector<std::string>& known_folders);

/// True if `wanted`, as a user writes it ("cudnn", "libcudnn.so.9", "cudnn64_9.dll"), means this
/// file name.
[[nodiscard]] bool names_library(const std::string& wanted, const std::string& file_name);

/// All libraries of the CUDA world in the process, in its order; then what `loads` asked for in
/// vain, each once, unless the same library came under another name.
[[nodiscard]] std::vector<LibraryChoice> cuda_choices(
    const LinuxProcess& process, const std::vector<FrameworkLoad>& loads,
    const std::vector<std::string>& known_folders);
[[nodiscard]] std::vector<LibraryChoice> cuda_choices(
    const WindowsProcess& process, const std::vector<FrameworkLoad>& loads,
    const std::vector<std::string>& known_folders);

/// What `root` and all that it needs lead to: each library once, those that one needs after it.
[[nodiscard]] std::vector<LibraryChoice> tree_choices(
    const LinuxProcess& process, std::size_t root, const std::vector<std::string>& known_folders);
[[nodiscard]] std::vector<LibraryChoice> tree_choices(
    const WindowsProcess& process, std::size_t root, const std::vector<std::string>& known_folders);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a replayed process says of its libraries: which file was taken, by which rule, who needs it,
// and which other files of that name there are.

#include <cstddef>
#include <string>
#include <vector>

#include "facts/library_choice.h"
#include "loader/framework_loading.h"
#include "loader/linux_process.h"
#include "loader/windows_process.h"

namespace plumb {

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

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rule by which a loader took a file, on either system. rule_name() is printed in JSON: names
// stay.

#include <cstdint>
#include <string_view>

namespace plumb {

enum class LoadRule : std::uint8_t {
  program,         // the process's own file
  given_path,      // asked for by a path, not by a bare name
  already_loaded,  // a library of this name was in the process before
  preload,         // LD_PRELOAD, /etc/ld.so.preload
  // Linux, in ld.so's order
  rpath,
  library_path,  // LD_LIBRARY_PATH
  runpath,
  cache,           // /etc/ld.so.cache
  default_folder,  // /lib, /usr/lib and the distribution's
  // Windows, in LoadLibrary's order
  redirection,  // app.exe.local
  api_set,      // api-ms-win-*: a name for a part of Windows, no file of its own
  manifest,     // a side-by-side assembly
  known_dll,
  altered_folder,      // the folder of the DLL that was loaded by its path
  application_folder,  // the folder of the .exe
  added_folder,        // os.add_dll_directory, AddDllDirectory, SetDllDirectory
  system_folder,       // System32
  windows_folder,      // System, Windows
  current_folder,
  path_variable,  // PATH
};

[[nodiscard]] std::string_view rule_name(LoadRule rule);

}  // namespace plumb

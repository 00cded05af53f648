// SPDX-License-Identifier: Apache-2.0
#include "loader/load_rule.h"

namespace plumb {

std::string_view rule_name(LoadRule rule) {
  switch (rule) {
    case LoadRule::program:
      return "program";
    case LoadRule::given_path:
      return "path";
    case LoadRule::already_loaded:
      return "already loaded";
    case LoadRule::preload:
      return "LD_PRELOAD";
    case LoadRule::rpath:
      return "RPATH";
    case LoadRule::library_path:
      return "LD_LIBRARY_PATH";
    case LoadRule::runpath:
      return "RUNPATH";
    case LoadRule::cache:
      return "ld.so.cache";
    case LoadRule::default_folder:
      return "default folder";
    case LoadRule::redirection:
      return "DLL redirection";
    case LoadRule::api_set:
      return "API set";
    case LoadRule::manifest:
      return "side-by-side manifest";
    case LoadRule::known_dll:
      return "KnownDLLs";
    case LoadRule::altered_folder:
      return "the DLL's folder";
    case LoadRule::application_folder:
      return "application folder";
    case LoadRule::added_folder:
      return "added DLL folder";
    case LoadRule::system_folder:
      return "System32";
    case LoadRule::windows_folder:
      return "Windows folder";
    case LoadRule::current_folder:
      return "current folder";
    case LoadRule::path_variable:
      return "PATH";
  }
  return "";
}

}  // namespace plumb

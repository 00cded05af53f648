// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the process was started with: search paths, proxies and variables. Secrets are masked where
// they are read: no part here ever holds one.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

/// A variable of the process that is set; its name is its origin.
struct Variable {
  std::string name;
  std::string value;    // cut after 4096 bytes; "***" or "http://***@host" where it held a secret
  bool masked = false;  // `value` is not the whole truth
};

void fields(auto& visit, Is<Variable> auto& x) {
  visit("name", x.name);
  visit("value", x.value);
  visit("masked", x.masked);
}

enum class PathFault : std::uint8_t {
  missing,       // no such folder
  not_a_folder,  // there, but a file
  duplicate,     // named before, whatever case or final separator (Windows)
  quoted,        // Windows: cmd understands it, LoadLibrary does not
  relative,      // found from the current folder
  empty,         // Linux: stands for the current folder
  too_long,      // Windows: over 260 characters
  not_ascii,     // told because some build tools cannot read it
  not_expanded,  // Windows: a %VARIABLE% that nothing sets, or that a REG_SZ never expands
  on_network,    // not looked at
  stubs,         // a toolkit's stubs folder: its libcuda.so only serves linking
  compat,        // a cuda-compat folder
  other_drive,   // of a mounted Windows, which has one drive: not looked at
};
constexpr auto enum_names(PathFault) {
  return std::to_array<std::string_view>(
      {"missing", "not_a_folder", "duplicate", "quoted", "relative", "empty", "too_long",
       "not_ascii", "not_expanded", "on_network", "stubs", "compat", "other_drive"});
}

struct PathFaults {
  PathFault fault = PathFault::missing;
  std::uint64_t count = 0;
  std::vector<std::string> examples;  // the first ones, at most 8
};

void fields(auto& visit, Is<PathFaults> auto& x) {
  visit("fault", x.fault);
  visit("count", x.count);
  visit("examples", x.examples);
}

/// One list of folders.
struct SearchPath {
  Fact<std::string> text;           // as stored, %VARIABLES% unexpanded; cut after 64 KiB
  std::uint64_t length = 0;         // of the whole, in characters (bytes on Linux)
  std::uint64_t entries = 0;        // of which the first 5000 were looked at
  std::uint32_t registry_type = 0;  // REG_SZ 1: %VARIABLES% are never expanded; REG_EXPAND_SZ 2
  std::vector<PathFaults> faults;   // kinds that occur
};

void fields(auto& visit, Is<SearchPath> auto& x) {
  visit("text", x.text);
  visit("length", x.length);
  visit("entries", x.entries);
  visit("registry_type", x.registry_type);
  visit("faults", x.faults);
}

struct SearchPaths {
  SearchPath process;         // PATH
  SearchPath machine;         // Windows: what new programs get first ...
  SearchPath user;            // ... and then
  SearchPath library_path;    // Linux: LD_LIBRARY_PATH
  Fact<std::string> preload;  // Linux: LD_PRELOAD
  /// Windows: entries of the registry that this process's PATH lacks: needs a new terminal. The
  /// first 8.
  std::vector<std::string> only_in_registry;
  /// Windows: about 1024 characters long and ends within an entry: setx cut it.
  bool user_cut_by_setx = false;
  bool machine_cut_by_setx = false;
  std::uint64_t machine_entries_in_user = 0;  // Windows: setx writes the merged PATH back
  Fact<std::string> cuda_path;                // CUDA_PATH of the process
  Fact<std::string> cuda_path_machine;        // Windows: in the registry
  Fact<std::string> cuda_path_user;           // Windows: in the registry, wins over the machine's
};

void fields(auto& visit, Is<SearchPaths> auto& x) {
  visit("process", x.process);
  visit("machine", x.machine);
  visit("user", x.user);
  visit("library_path", x.library_path);
  visit("preload", x.preload);
  visit("only_in_registry", x.only_in_registry);
  visit("user_cut_by_setx", x.user_cut_by_setx);
  visit("machine_cut_by_setx", x.machine_cut_by_setx);
  visit("machine_entries_in_user", x.machine_entries_in_user);
  visit("cuda_path", x.cuda_path);
  visit("cuda_path_machine", x.cuda_path_machine);
  visit("cuda_path_user", x.cuda_path_user);
}

/// A file or folder of certificates that a variable names.
struct CertificateFile {
  std::string variable;  // "REQUESTS_CA_BUNDLE"
  std::string path;
  bool there = false;
};

void fields(auto& visit, Is<CertificateFile> auto& x) {
  visit("variable", x.variable);
  visit("path", x.path);
  visit("there", x.there);
}

struct ProxyFacts {
  std::vector<Variable> variables;  // http_proxy ... NO_PROXY in any case
  // Windows' Internet Settings, which pip uses where no variable is set.
  Fact<bool> enabled;
  Fact<std::string> server;      // "host:8080", "http=host:80;https=host:443"
  Fact<std::string> exceptions;  // "*.local;<local>"
  Fact<std::string> script;      // address of a PAC script
  std::vector<CertificateFile> certificates;
};

void fields(auto& visit, Is<ProxyFacts> auto& x) {
  visit("variables", x.variables);
  visit("enabled", x.enabled);
  visit("server", x.server);
  visit("exceptions", x.exceptions);
  visit("script", x.script);
  visit("certificates", x.certificates);
}

}  // namespace plumb

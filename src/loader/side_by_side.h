// SPDX-License-Identifier: Apache-2.0
#pragma once
// Side-by-side assemblies, as far as DLLs of old compilers need them: a manifest inside an .exe or
// a DLL names assemblies (Microsoft.VC90.CRT), and their DLLs come before any search.
//
// Looked for in Microsoft's order: WinSxS, then beside the file as NAME.manifest or
// NAME\\NAME.manifest. Left out: policies, languages, "NAME.DLL" with its manifest inside, and
// manifests beside the program (program.exe.manifest, which an embedded one overrules since
// Windows Vista). "NAME.DLL" and languages count as found, so that nothing is called missing
// wrongly. Of several versions in WinSxS the highest one with the same first two numbers is
// taken.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/file_view.h"

namespace plumb {

/// A dependentAssembly of a manifest.
struct AssemblyName {
  std::string name;      // "Microsoft.VC90.CRT"
  std::string version;   // "9.0.21022.8"
  std::string token;     // publicKeyToken
  std::string language;  // "" or "*": none
};

/// At most 64, as they stand there; what cannot be understood is left out.
[[nodiscard]] std::vector<AssemblyName> parse_dependent_assemblies(std::string_view manifest);

/// True if an assembly's manifest lists the file (`<file name="msvcr90.dll">`).
[[nodiscard]] bool manifest_lists_file(std::string_view manifest, std::string_view file);

class SideBySide {
 public:
  /// The file that `name` (lower case) means to whoever carries `manifest`; `folder` is the folder
  /// of that file, `machine` of the process.
  [[nodiscard]] std::optional<std::string> find(FileView& files, std::string_view manifest,
                                                const std::string& folder,
                                                const std::string& windows_folder,
                                                const std::string& machine,
                                                const std::string& name);

  /// The first assembly of the manifest that is nowhere: Windows loads no file that carries it.
  /// Empty too where there is no WinSxS to look into.
  [[nodiscard]] std::optional<std::string> missing(FileView& files, std::string_view manifest,
                                                   const std::string& folder,
                                                   const std::string& windows_folder,
                                                   const std::string& machine);

 private:
  [[nodiscard]] const std::vector<AssemblyName>& assemblies(std::string_view manifest);
  /// Folders of WinSxS that hold the assembly, the best one first.
  [[nodiscard]] std::vector<std::string> shared(FileView& files, const AssemblyName& assembly,
                                                const std::string& windows_folder,
                                                const std::string& machine);
  [[nodiscard]] const std::string& text_of(FileView& files, const std::string& path);

  std::map<std::string, std::string> texts_;        // manifests that were read
  std::optional<std::vector<std::string>> winsxs_;  // in lower case, sorted
  std::map<std::string, std::vector<AssemblyName>, std::less<>> parsed_;  // by manifest
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Python environment's interpreter started, and frameworks imported into it, in the replay.

#include <memory>
#include <string>
#include <vector>

#include "facts/machine.h"
#include "loader/framework_loading.h"
#include "loader/linux_symbols.h"
#include "observe/host.h"
#include "observe/real_files.h"

namespace plumb {

/// A process of either system; one of the two is set.
struct ReplayedProcess {
  std::unique_ptr<LinuxProcess> on_linux;
  std::unique_ptr<WindowsProcess> on_windows;
  std::vector<FrameworkLoad> loads;  // of the frameworks imported, in order
  std::vector<Error> errors;         // what could not be read on the way

  /// Calls visit(process).
  template <class Visit>
  decltype(auto) visit(Visit visit) {
    return on_linux ? visit(*on_linux) : visit(*on_windows);
  }
};

struct OpenedLibrary {
  std::optional<std::size_t> object;
  std::string fault;
};
/// A library opened from Python, as `import` and ctypes do (on Windows since 3.8); what it lacks is
/// noted and the rest goes on.
[[nodiscard]] OpenedLibrary open_from_python(LinuxProcess& process, const std::string& name);
[[nodiscard]] OpenedLibrary open_from_python(WindowsProcess& process, const std::string& name);

/// What these objects want and the process does not have, symbols or procedures.
[[nodiscard]] SymbolCheck check_objects(const LinuxProcess& process,
                                        const std::vector<std::size_t>& objects);
[[nodiscard]] SymbolCheck check_objects(const WindowsProcess& process,
                                        const std::vector<std::size_t>& objects);
/// first, first + 1, ... end - 1.
[[nodiscard]] std::vector<std::size_t> objects_between(std::size_t first, std::size_t end);

/// The interpreter's surroundings, in the paths of the machine looked at.
[[nodiscard]] PythonPlace python_place(const Host& host, const RealFiles& files,
                                       const PythonEnvironment& environment);

/// Starts the environment's interpreter, `python` being its place. Where that cannot be read, a
/// stand-in that needs nothing.
[[nodiscard]] ReplayedProcess start_python(const Host& host, RealFiles& files,
                                           const PythonEnvironment& environment,
                                           const PythonPlace& place);

/// A process of the machine's own system in which nothing is loaded: where a bare name leads when
/// no interpreter is known.
[[nodiscard]] ReplayedProcess start_nothing(const Host& host, RealFiles& files);

/// Starts `file` by itself: a program, or a library as `ldd` does.
[[nodiscard]] ReplayedProcess start_file(const Host& host, RealFiles& files,
                                         const std::string& file, std::string_view system);

/// The frameworks that an extension imports first: those that its package requires, else those
/// whose libraries its modules need.
[[nodiscard]] std::vector<const FrameworkFacts*> bases_of(
    RealFiles& files, const FrameworkFacts& extension,
    const std::vector<FrameworkFacts>& frameworks, const std::vector<Distribution>& distributions);

/// What a binary needs by name, of either system; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> needs_of(RealFiles& files, const std::string& path);

/// Imports a framework and lets it compute; its account goes to `process.loads`.
void import_framework(ReplayedProcess& process, const PythonPlace& python, const RealFiles& files,
                      const FrameworkFacts& framework,
                      const std::vector<Distribution>& distributions);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where else on the machine a missing symbol is.

#include <string>
#include <vector>

#include "loader/linux_symbols.h"
#include "loader/windows_symbols.h"

namespace plumb {

/// Fills also_in of each: another file, in one of `folders`, of the library that should have had
/// the symbol; where that is not said, of any library that the wanting file needs. The first of
/// many missing symbols only.
void find_symbol_copies(const LinuxProcess& process, const std::vector<std::string>& folders,
                        std::vector<MissingSymbol>& missing);
void find_symbol_copies(const WindowsProcess& process, const std::vector<std::string>& folders,
                        std::vector<MissingSymbol>& missing);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Procedures that modules of a replayed Windows process import, looked up in the export tables of
// the DLLs that the loader chose, by name or ordinal, forwarders followed.

#include <cstddef>
#include <span>
#include <vector>

#include "loader/linux_symbols.h"
#include "loader/windows_process.h"

namespace plumb {

/// MissingSymbol.symbol is the name, or "#12" for an ordinal; expected_in the DLL as imported.
/// Delay imports count only with `delayed`.
[[nodiscard]] SymbolCheck check_procedures(const WindowsProcess& process,
                                           std::span<const std::size_t> objects,
                                           bool delayed = false);

}  // namespace plumb

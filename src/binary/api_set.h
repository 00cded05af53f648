// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table that tells which DLL stands behind an API set ("api-ms-win-crt-runtime-l1-1-0.dll" is
// ucrtbase.dll): the .apiset section of System32\apisetschema.dll, schema 6 (Windows 10 and later)
// and 4 (Windows 8.1).
//
// Sources: Microsoft's "Windows API sets"; the layout is not documented by Microsoft, see Wine's
// include/apiset.h and Geoff Chappell's "The API Set Schema".

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "binary/pe.h"

namespace plumb {

/// One row of an API set: who asks (in lower case, "" for everybody) and the DLL that answers ("" =
/// none on this system).
struct ApiSetHost {
  std::string importer;
  std::string host;
};

/// By the name in lower case, without ".dll" and without what follows its last hyphen: a contract's
/// minor version plays no part.
using ApiSets = std::map<std::string, std::vector<ApiSetHost>, std::less<>>;

/// True if Windows' loader takes the name for an API set: "api-" or "ext-" in front.
[[nodiscard]] bool is_api_set_name(std::string_view name);

/// The rows for a name as imported, or null.
[[nodiscard]] const std::vector<ApiSetHost>* find_api_set(const ApiSets& sets,
                                                          std::string_view name);

/// The host for one importer (a base name; case does not matter); "" = none on this system.
[[nodiscard]] std::string api_set_host(const std::vector<ApiSetHost>& hosts,
                                       std::string_view importer);

/// From the bytes of the section. Errors: unsupported (another version), malformed, limit.
[[nodiscard]] Result<ApiSets> parse_api_sets(Bytes section);

/// From apisetschema.dll. Errors: not_found (no such section), those above, or the source's.
[[nodiscard]] Result<ApiSets> read_api_sets(const Source& source, const PeFile& file);

}  // namespace plumb

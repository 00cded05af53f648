// SPDX-License-Identifier: Apache-2.0
#pragma once
// A TOML file as flat settings. Read with toml++ where that was there when plumb was built.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "facts/pip_configuration.h"

namespace plumb {

/// "index[0].url", "pip.index-url" below the table `under` ("tool.uv", "" for all); at most 500,
/// tables in tables at most 6 deep. Empty if that table is not there. Values are as written, with
/// secrets. Errors: malformed with `where` "PATH:LINE"; unsupported (built without toml++).
[[nodiscard]] Result<std::vector<Setting>> flatten_toml(std::string_view text,
                                                        const std::string& path,
                                                        std::string_view under);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Leaves out of a snapshot what tells who somebody is or opens a door: names of users and of the
// host, homes, serial numbers, UUIDs, MAC and IP addresses, mail addresses, passwords and tokens.
// Works on every text of the JSON, keys included, so that a probe that is added later is covered.
// The same name gets the same stand-in everywhere: paths still fit each other.

#include <string>
#include <vector>

#include "facts/json_fields.h"

namespace plumb {

struct KnownNames {
  std::string user;  // "" = not known
  std::string host;
  std::string home;
};

/// Changes `json`; gives the number of texts that it changed.
std::size_t redact(Json& json, const KnownNames& names);

}  // namespace plumb

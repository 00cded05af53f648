// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which file of a library a process takes, and which others lose: what `which` answers and what a
// snapshot keeps of it.

#include <cstddef>
#include <string>
#include <vector>

#include "facts/fields.h"

namespace plumb {

struct LibraryLoser {
  std::string path;
  std::string version;  // "" = not known; filled in by who reads files
  std::string why;      // "comes later in the search: ld.so.cache"
};
void fields(auto& visit, Is<LibraryLoser> auto& loser) {
  visit("path", loser.path);
  visit("version", loser.version);
  visit("why", loser.why);
}

struct LibraryChoice {
  std::string library;    // the name that was asked for: "libcudnn.so.9"
  std::string framework;  // for which: "torch"; "" = for none
  bool found = false;
  std::string path;       // of the chosen file
  std::string opened_as;  // the path by which the loader opened it, links not followed
  std::string rule;       // rule_name()
  std::string detail;     // "RPATH $ORIGIN/../../nvidia/cudnn/lib of .../libtorch_cuda.so"
  std::string version;    // filled in by who reads files
  std::string fault;      // why none was chosen
  bool optional = false;  // who asks goes on without it
  std::size_t depth = 0;  // in a tree: 0 = the file itself needs it
  bool delayed = false;   // Windows: looked up at its first call only
  std::vector<LibraryLoser> losers;
  std::vector<std::string> needed_by;
};
void fields(auto& visit, Is<LibraryChoice> auto& choice) {
  visit("library", choice.library);
  visit("framework", choice.framework);
  visit("found", choice.found);
  visit("path", choice.path);
  visit("opened_as", choice.opened_as);
  visit("rule", choice.rule);
  visit("detail", choice.detail);
  visit("version", choice.version);
  visit("fault", choice.fault);
  visit("optional", choice.optional);
  visit("depth", choice.depth);
  visit("delayed", choice.delayed);
  visit("losers", choice.losers);
  visit("needed_by", choice.needed_by);
}

/// A process in which a framework (or one extension and the frameworks that it stands on) was
/// imported, in the replay.
struct ProcessLibraries {
  std::string framework;               // "torch"; "" = python alone
  std::vector<LibraryChoice> choices;  // CUDA's libraries first, then all others, in its order
  std::size_t cuda_choices = 0;        // so many of them are of the CUDA world
  std::string failure;                 // why the import fails; "" = it does not
};
void fields(auto& visit, Is<ProcessLibraries> auto& process) {
  visit("framework", process.framework);
  visit("choices", process.choices);
  visit("cuda_choices", process.cuda_choices);
  visit("failure", process.failure);
}

}  // namespace plumb

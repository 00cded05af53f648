// SPDX-License-Identifier: Apache-2.0
#include "loader/library_choices.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "binary/nvidia_names.h"

namespace plumb {
namespace {

std::string in_folder(const LinuxProcess&, const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string in_folder(const WindowsProcess&, const std::string& folder, const std::string& name) {
  return folder.ends_with('\\') ? folder + name : folder + "\\" + name;
}

/// Folders (or files, for the cache) in which the loader looks, with how that is told.
struct Candidate {
  std::string path;
  std::string detail;
};

std::vector<Candidate> candidates(const LinuxProcess& process, const std::string& name,
                                  std::size_t asker) {
  std::vector<Candidate> list;
  for (const LinuxPlace& place : process.places(asker)) {
    const std::string path = place.rule == LoadRule::cache
                                 ? find_in_cache(process.settings().cache, name)
                                 : in_folder(process, place.folder, name);
    if (!path.empty()) {
      list.push_back({path, place.detail});
    }
  }
  return list;
}

std::vector<Candidate> candidates(const WindowsProcess& process, const std::string& name,
                                  std::size_t asker) {
  std::vector<Candidate> list;
  const std::string& file = process.objects()[asker].file;
  const std::string folder = file.substr(0, file.find_last_of('\\'));
  for (const WindowsPlace& place :
       process.places(kLoadSearchDllLoadDir | kLoadSearchDefaultDirs, folder)) {
    list.push_back({in_folder(process, place.folder, name), place.detail});
  }
  return list;
}

/// "" for a file that this process could load.
std::string unfit(const LinuxProcess& process, const std::string& path) {
  const auto elf = process.files().elf(path);
  if (!elf) {
    return "cannot be loaded: " + elf.error().what;
  }
  const std::string& machine = process.settings().machine;
  return (*elf)->machine == machine ? std::string{}
                                    : "is for " + (*elf)->machine + ", not " + machine;
}

std::string unfit(const WindowsProcess& process, const std::string& path) {
  const auto pe = process.files().pe(path);
  if (!pe) {
    return "cannot be loaded: " + pe.error().what;
  }
  const std::string& machine = process.settings().machine;
  return (*pe)->machine == machine ? std::string{}
                                   : "is for " + (*pe)->machine + ", not " + machine;
}

/// Every other file of that name; `chosen` is the identity of the one that was taken, "" = none
/// was.
template <class Process>
std::vector<LibraryLoser> losers_of(const Process& process, const std::string& name,
                                    std::size_t asker, const std::string& chosen, bool by_path,
                                    const std::vector<std::string>& known_folders) {
  std::vector<LibraryLoser> losers;
  std::set<std::string> seen = {chosen};
  const auto add = [&](const std::string& path, const std::string& why) {
    const FileEntry entry = process.files().entry(path);
    if (entry.kind == EntryKind::file && seen.insert(entry.identity).second) {
      std::string fault = unfit(process, path);
      losers.push_back({path, {}, fault.empty() ? why : std::move(fault)});
    }
  };
  if (!by_path) {
    for (const Candidate& candidate : candidates(process, name, asker)) {
      add(candidate.path, "comes later in the search: " + candidate.detail);
    }
  }
  for (const std::string& folder : known_folders) {
    add(in_folder(process, folder, name),
        by_path ? "another path was asked for" : "lies in no folder that is searched for it");
  }
  return losers;
}

/// Each need of every object that led to `object`.
template <class Process>
std::vector<std::string> who_needs(const Process& process, std::size_t object) {
  std::vector<std::string> files;
  for (const auto& other : process.objects()) {
    for (const auto& need : other.needs) {
      if (need.object == object) {
        files.push_back(other.file);
        break;
      }
    }
  }
  const auto& opened_by = process.objects()[object].opened_by;
  if (opened_by && files.empty()) {
    files.push_back(process.objects()[*opened_by].file);
  }
  return files;
}

std::string name_of(const LinuxObject& object) {
  if (object.elf != nullptr && object.elf->soname) {
    return *object.elf->soname;
  }
  return base_name(object.file);
}

std::string name_of(const WindowsObject& object) {
  return object.file.empty() ? object.name : base_name(object.file);
}

template <class Process>
LibraryChoice choice(const Process& process, std::size_t index,
                     const std::vector<std::string>& known_folders) {
  const auto& object = process.objects()[index];
  LibraryChoice result;
  result.library = name_of(object);
  result.found = true;
  result.path = object.file;
  result.opened_as = object.file;
  result.rule = rule_name(object.rule);
  result.detail = object.detail;
  result.needed_by = who_needs(process, index);
  const std::size_t asker = object.needed_by.value_or(object.opened_by.value_or(0));
  const std::string file = base_name(object.file);
  result.losers = losers_of(process, file, asker, object.identity,
                            object.rule == LoadRule::given_path, known_folders);
  if (file != result.library) {  // libcudart.so.13.0.96 has rivals under its SONAME
    std::set<std::string> seen;
    for (const LibraryLoser& loser : result.losers) {
      seen.insert(loser.path);
    }
    for (LibraryLoser& loser : losers_of(process, result.library, asker, object.identity,
                                         object.rule == LoadRule::given_path, known_folders)) {
      if (seen.insert(loser.path).second) {
        result.losers.push_back(std::move(loser));
      }
    }
  }
  return result;
}

template <class Process>
LibraryChoice nothing(const Process& process, const std::string& name, std::size_t asker,
                      const std::string& fault, const std::vector<std::string>& known_folders) {
  LibraryChoice result;
  result.library = name;
  result.fault = fault;
  result.losers = losers_of(process, base_name(name), asker, {}, false, known_folders);
  for (LibraryLoser& loser : result.losers) {
    if (loser.why.starts_with("comes later")) {
      loser.why = "could not be loaded from there";
    }
  }
  return result;
}

template <class Process>
std::vector<LibraryChoice> all_cuda(const Process& process, const std::vector<FrameworkLoad>& loads,
                                    const std::vector<std::string>& known_folders) {
  std::vector<LibraryChoice> choices;
  std::set<std::string> stems;
  std::set<std::string> names;
  std::map<std::size_t, std::string> asked_by;  // of libraries that code opens, not needs
  for (const FrameworkLoad& load : loads) {
    for (const LibraryRequest& request : load.requests) {
      if (request.object) {
        asked_by.emplace(*request.object, request.asked_by);
      }
    }
  }
  for (std::size_t i = 1; i < process.objects().size(); ++i) {
    const std::string name = name_of(process.objects()[i]);
    if (is_cuda_library(name)) {
      stems.insert(library_stem(name));
      names.insert(name);
      choices.push_back(choice(process, i, known_folders));
      const auto asker = asked_by.find(i);
      if (choices.back().detail.empty() && asker != asked_by.end()) {
        choices.back().detail = asker->second + " asks for this path";
      }
    }
  }
  const auto missing = [&](const std::string& name, const std::string& fault,
                           const std::string& asker, bool optional) {
    if (!is_cuda_library(name)) {
      return;
    }
    // One that is needed and lacks is told although another major of it is there.
    const bool is_new_stem = stems.insert(library_stem(name)).second;
    if (names.insert(base_name(name)).second && (is_new_stem || !optional)) {
      LibraryChoice lost = nothing(process, name, 0, fault, known_folders);
      lost.needed_by = {asker};
      lost.optional = optional;
      choices.push_back(std::move(lost));
    }
  };
  for (const FrameworkLoad& load : loads) {
    for (const LibraryRequest& request : load.requests) {
      if (!request.object) {
        const bool by_need = !request.missing.empty() && request.missing != request.name;
        missing(by_need ? request.missing : request.name, request.fault,
                by_need ? request.wanted_by : request.asked_by, request.optional);
      }
    }
    if (load.failed) {
      missing(load.missing, load.fault, load.wanted_by, false);
    }
  }
  return choices;
}

template <class Process>
std::vector<LibraryChoice> tree(const Process& process, std::size_t root,
                                const std::vector<std::string>& known_folders) {
  std::vector<LibraryChoice> choices;
  std::set<std::size_t> seen = {root};
  std::set<std::string> missing;
  struct Level {
    std::size_t object;
    std::size_t next_need;
  };
  std::vector<Level> path = {{root, 0}};
  while (!path.empty()) {
    const std::size_t object = path.back().object;
    if (path.back().next_need >= process.objects()[object].needs.size()) {
      path.pop_back();
      continue;
    }
    const auto& need = process.objects()[object].needs[path.back().next_need++];
    const std::size_t depth = path.size() - 1;
    if (need.object) {
      if (seen.insert(*need.object).second) {
        LibraryChoice found = choice(process, *need.object, known_folders);
        found.library = need.name;
        found.depth = depth;
        choices.push_back(std::move(found));
        path.push_back({*need.object, 0});
      }
    } else if (missing.insert(need.name).second) {
      LibraryChoice lost = nothing(process, need.name, object, need.fault, known_folders);
      lost.needed_by = {process.objects()[object].file};
      lost.depth = depth;
      if constexpr (requires { need.delayed; }) {
        lost.delayed = need.delayed;
      }
      choices.push_back(std::move(lost));
    } else {
      std::ranges::find(choices, need.name, &LibraryChoice::library)
          ->needed_by.push_back(process.objects()[object].file);
    }
  }
  return choices;
}

}  // namespace

LibraryChoice choice_of(const LinuxProcess& process, std::size_t object,
                        const std::vector<std::string>& known_folders) {
  return choice(process, object, known_folders);
}

LibraryChoice choice_of(const WindowsProcess& process, std::size_t object,
                        const std::vector<std::string>& known_folders) {
  return choice(process, object, known_folders);
}

LibraryChoice no_choice(const LinuxProcess& process, const std::string& name, std::size_t asker,
                        const std::string& fault, const std::vector<std::string>& known_folders) {
  return nothing(process, name, asker, fault, known_folders);
}

LibraryChoice no_choice(const WindowsProcess& process, const std::string& name, std::size_t asker,
                        const std::string& fault, const std::vector<std::string>& known_folders) {
  return nothing(process, name, asker, fault, known_folders);
}

bool names_library(const std::string& wanted, const std::string& file_name) {
  const std::string name = to_lower_ascii(base_name(file_name));
  const std::string asked = to_lower_ascii(wanted);
  if (asked == name) {
    return true;
  }
  // A whole name means one version of it; a stem all of them.
  const bool whole = asked.find('.') != std::string::npos;
  return whole ? name.starts_with(asked + ".") : library_stem(asked) == library_stem(name);
}

std::vector<LibraryChoice> cuda_choices(const LinuxProcess& process,
                                        const std::vector<FrameworkLoad>& loads,
                                        const std::vector<std::string>& known_folders) {
  return all_cuda(process, loads, known_folders);
}

std::vector<LibraryChoice> cuda_choices(const WindowsProcess& process,
                                        const std::vector<FrameworkLoad>& loads,
                                        const std::vector<std::string>& known_folders) {
  return all_cuda(process, loads, known_folders);
}

std::vector<LibraryChoice> tree_choices(const LinuxProcess& process, std::size_t root,
                                        const std::vector<std::string>& known_folders) {
  return tree(process, root, known_folders);
}

std::vector<LibraryChoice> tree_choices(const WindowsProcess& process, std::size_t root,
                                        const std::vector<std::string>& known_folders) {
  return tree(process, root, known_folders);
}

}  // namespace plumb

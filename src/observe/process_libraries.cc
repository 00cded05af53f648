// SPDX-License-Identifier: Apache-2.0
#include "observe/process_libraries.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "binary/nvidia_names.h"
#include "loader/library_choices.h"
#include "observe/file_version.h"
#include "observe/library_folders.h"
#include "observe/package_files.h"
#include "os/parallel.h"

namespace plumb {
namespace {

/// Names of CUDA libraries in the folders, each once a file, those of one library together: what
/// comes first may bring the next.
std::vector<std::vector<std::string>> cuda_names(RealFiles& files,
                                                 const std::vector<std::string>& folders,
                                                 bool windows) {
  std::map<std::string, std::set<std::string>> names;  // by stem
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    for (const std::string& name : files.list(folder)) {
      if (is_library_name(name) && is_nvidia_library(name) &&
          seen.insert(files.entry(folder + (windows ? '\\' : '/') + name).identity).second) {
        names[library_stem(name)].insert(name);
      }
    }
  }
  std::vector<std::vector<std::string>> groups;
  for (const auto& [stem, group] : names) {
    groups.emplace_back(group.begin(), group.end());
  }
  return groups;
}

}  // namespace

std::vector<std::string> known_library_folders(const Host& host, const RealFiles& files,
                                               const PythonEnvironment* environment) {
  PythonEnvironment none;
  none.system = host.system;
  std::vector<std::string> folders;
  for (const std::string& folder : library_folders(host, environment ? *environment : none)) {
    folders.push_back(files.there(folder));
  }
  return folders;
}

void resolve_choice(RealFiles& files, LibraryChoice& choice) {
  if (choice.found) {
    choice.path = files.resolved(choice.path);
  }
}

void add_versions(const Host& host, std::string_view system,
                  const std::vector<Distribution>& distributions,
                  const std::vector<LibraryChoice*>& choices) {
  std::map<std::string, std::string> versions;  // by path
  for (const LibraryChoice* choice : choices) {
    if (choice->found) {
      versions.emplace(choice->path, "");
    }
    for (const LibraryLoser& loser : choice->losers) {
      versions.emplace(loser.path, "");
    }
  }
  std::vector<std::pair<const std::string, std::string>*> files_to_read;
  for (auto& file : versions) {
    files_to_read.push_back(&file);
  }
  const std::size_t parts = std::min<std::size_t>(usable_cores(), files_to_read.size());
  parallel_for(parts, [&](std::size_t part) {
    RealFiles files(host, system);  // one each: a view keeps what it has read
    for (std::size_t i = part; i < files_to_read.size(); i += parts) {
      files_to_read[i]->second = version_of_file(files, files_to_read[i]->first, distributions);
    }
  });
  for (LibraryChoice* choice : choices) {
    if (choice->found) {
      choice->version = versions[choice->path];
    }
    for (LibraryLoser& loser : choice->losers) {
      loser.version = versions[loser.path];
    }
  }
}

ProcessLibraries process_libraries(ReplayedProcess& process, const std::string& framework,
                                   RealFiles& files,
                                   const std::vector<std::string>& known_folders) {
  ProcessLibraries kept;
  kept.framework = framework;
  if (!process.loads.empty() && process.loads.back().failed) {
    kept.failure = process.loads.back().fault;
  }
  process.visit([&](const auto& it) {
    kept.choices = cuda_choices(it, process.loads, known_folders);
    kept.cuda_choices = kept.choices.size();
    std::set<std::string> told;
    for (const LibraryChoice& choice : kept.choices) {
      told.insert(choice.path);
    }
    for (std::size_t i = 1; i < it.objects().size(); ++i) {
      if (told.insert(it.objects()[i].file).second) {
        kept.choices.push_back(choice_of(it, i, known_folders));
      }
    }
  });
  for (LibraryChoice& choice : kept.choices) {
    choice.framework = framework;
    resolve_choice(files, choice);
  }
  return kept;
}

ProcessLibraries plain_libraries(const Host& host, const PythonEnvironment* environment) {
  const std::string& system = environment != nullptr ? environment->system : host.system;
  RealFiles names(host, system);
  const std::vector<std::string> folders = known_library_folders(host, names, environment);
  const auto groups = cuda_names(names, folders, system == "windows");
  std::vector<std::vector<LibraryChoice>> found(groups.size());
  const auto parts = std::min<std::size_t>(std::clamp(usable_cores(), 1U, 4U), groups.size());
  parallel_for(parts, [&](std::size_t part) {
    RealFiles files(host, system);  // one each: a view keeps what it has read
    ReplayedProcess started =
        environment != nullptr
            ? start_python(host, files, *environment, python_place(host, files, *environment))
            : start_nothing(host, files);
    started.visit([&](const auto& process) {
      for (std::size_t i = part; i < groups.size(); i += parts) {
        auto it = process;  // each library in a process that has opened no other
        for (const std::string& name : groups[i]) {
          const OpenedLibrary opened = open_from_python(it, name);
          LibraryChoice& choice =
              found[i].emplace_back(opened.object ? choice_of(it, *opened.object, folders)
                                                  : no_choice(it, name, 0, opened.fault, folders));
          if (environment == nullptr) {
            choice.needed_by.clear();
          }
          resolve_choice(files, choice);
        }
      }
    });
  });
  ProcessLibraries kept;
  for (std::vector<LibraryChoice>& list : found) {
    std::ranges::move(list, std::back_inserter(kept.choices));
  }
  kept.cuda_choices = kept.choices.size();
  return kept;
}

}  // namespace plumb

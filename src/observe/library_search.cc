// SPDX-License-Identifier: Apache-2.0
#include "observe/library_search.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <set>

#include "base/text.h"
#include "binary/wheel.h"
#include "loader/symbol_copies.h"
#include "observe/distributions.h"
#include "observe/environment_loading.h"
#include "observe/frameworks.h"
#include "observe/package_files.h"
#include "observe/process_libraries.h"
#include "observe/python_environment.h"
#include "os/file.h"

namespace plumb {
namespace {

/// `root` and all that it stands on, in the process's order.
template <class Process>
std::vector<std::size_t> tree_of(const Process& process, std::size_t root) {
  std::set<std::size_t> seen = {root};
  std::vector<std::size_t> left = {root};
  while (!left.empty()) {
    const std::size_t object = left.back();
    left.pop_back();
    for (const auto& need : process.objects()[object].needs) {
      if (need.object && seen.insert(*need.object).second) {
        left.push_back(*need.object);
      }
    }
  }
  return {seen.begin(), seen.end()};
}

bool is_same_framework(const FrameworkFacts& framework, const std::string& wanted) {
  const std::string name = normalize_project_name(wanted);
  return framework.name == name || normalize_project_name(framework.package) == name;
}

class Search {
 public:
  Search(const Host& host, const LibraryQuestion& question) : host_(host), question_(question) {}

  Result<LibraryAnswer> run() {
    if (question_.file.empty() || !question_.environment.empty() || !question_.frameworks.empty()) {
      auto found = find_environment();
      // Without any Python the loader still answers for a plain name.
      const bool plain = question_.environment.empty() && question_.frameworks.empty() &&
                         !question_.libraries.empty() && !question_.all;
      if (!found && !plain) {
        return std::unexpected(std::move(found).error());
      }
    }
    if (!question_.file.empty()) {
      PLUMB_TRY(search_file());
    } else if (environment_) {
      PLUMB_TRY(search_environment());
    } else {
      for (const std::string& wanted : question_.libraries) {
        search_plainly(files(host_.system), wanted);
      }
    }
    std::vector<LibraryChoice*> choices;
    for (LibraryChoice& choice : answer_.results) {
      if (question_.file.empty()) {  // of a file by itself as ldd prints it
        resolve_choice(*files_, choice);
      }
      choices.push_back(&choice);
    }
    add_versions(host_, system(), distributions_, choices);
    return std::move(answer_);
  }

 private:
  Result<void> find_environment() {
    PythonSearch found = find_python_environment(host_, question_.environment);
    if (!found.environment) {
      Error error{ErrorCode::usage, "no Python environment was found", question_.environment, {}};
      if (found.environment.fault) {
        error.what = found.environment.fault->what;
      }
      error.hints = {"plumb which ... --env FOLDER"};
      return std::unexpected(std::move(error));
    }
    environment_ = *std::move(found.environment.value);
    distributions_ = list_distributions(environment_->site_packages, answer_.errors);
    frameworks_ = list_frameworks(distributions_);
    return {};
  }

  [[nodiscard]] const std::string& system() const {
    return environment_ ? environment_->system : host_.system;
  }

  RealFiles& files(std::string_view system) {
    if (!files_) {
      files_ = std::make_unique<RealFiles>(host_, system);
    }
    return *files_;
  }

  /// Looked for once: every library's rivals are sought in them.
  const std::vector<std::string>& known_folders() {
    if (known_folders_) {
      return *known_folders_;
    }
    std::vector<std::string> folders;
    if (environment_ || question_.file.empty()) {  // a file by itself is told by the loader's rules
      folders = known_library_folders(host_, *files_, environment_ ? &*environment_ : nullptr);
    }
    return known_folders_.emplace(std::move(folders));
  }

  Result<void> search_file() {
    PLUMB_ASSIGN(const std::unique_ptr<Source> source, open_file(question_.file));
    std::array<std::byte, 4> start{};
    if (source->size() >= start.size()) {
      PLUMB_TRY(source->read(0, start));
    }
    const bool elf = looks_like_elf(start);
    if (!elf && !looks_like_pe(start)) {
      return fail(ErrorCode::not_binary, "neither a Linux nor a Windows binary");
    }
    const std::string_view file_system = elf ? "linux" : "windows";
    if (environment_ && environment_->system != file_system) {
      Error error{ErrorCode::usage, {}, question_.file, {}};
      error.what = "is a file for " + std::string(elf ? "Linux" : "Windows") +
                   ", and the environment is one for " + (elf ? "Windows" : "Linux");
      return std::unexpected(std::move(error));
    }
    RealFiles& view = files(file_system);
    answer_.file = view.there(real_parent(question_.file));
    if (!environment_) {
      ReplayedProcess process = start_file(host_, view, answer_.file, file_system);
      std::ranges::move(process.errors, std::back_inserter(answer_.errors));
      process.visit([&](auto& it) {
        if (!it.objects().empty()) {
          report_tree(it, 0);
          check_from(it, 0);
        }
      });
      return {};
    }
    const PythonPlace python = python_place(host_, view, *environment_);
    ReplayedProcess process = start_python(host_, view, *environment_, python);
    PLUMB_ASSIGN(std::vector<const FrameworkFacts*> wanted, asked_frameworks());
    if (wanted.empty()) {
      wanted = frameworks_of_libraries(needs_of(view, answer_.file), frameworks_);
    }
    for (const FrameworkFacts* framework : wanted) {
      import_framework(process, python, view, *framework, distributions_);
    }
    std::ranges::move(process.errors, std::back_inserter(answer_.errors));
    process.visit([&](auto& it) {
      const std::size_t before = it.objects().size();
      const OpenedLibrary opened = open_from_python(it, answer_.file);
      if (!opened.object) {
        answer_.failures.push_back(opened.fault);
        return;
      }
      report_tree(it, *opened.object);
      if (*opened.object < before) {  // the frameworks had opened it
        check(it, tree_of(it, *opened.object));
      } else {
        check_from(it, before);
      }
    });
    return {};
  }

  /// The folder's links followed, the file's own name kept: $ORIGIN counts from the path that is
  /// given.
  [[nodiscard]] std::string real_parent(const std::string& path) const {
    const std::string folder(parent_path(path));
    const bool relative = !path.starts_with('/') && path.find(':') == std::string::npos;
    return relative ? join_path(real_path(folder.empty() ? "." : folder), file_name(path)) : path;
  }

  Result<std::vector<const FrameworkFacts*>> asked_frameworks() {
    std::vector<const FrameworkFacts*> list;
    for (const std::string& wanted : question_.frameworks) {
      const FrameworkFacts* hit = find_framework(wanted);
      if (hit == nullptr) {
        Error error{ErrorCode::usage, "is not installed in " + environment_->root, wanted, {}};
        for (const FrameworkFacts& framework : frameworks_) {
          error.hints.push_back("--for " + framework.name);
        }
        return std::unexpected(std::move(error));
      }
      if (!hit->is_framework) {
        for (const FrameworkFacts* base :
             bases_of(files(environment_->system), *hit, frameworks_, distributions_)) {
          if (std::ranges::find(list, base) == list.end()) {
            list.push_back(base);
          }
        }
      }
      if (std::ranges::find(list, hit) == list.end()) {
        list.push_back(hit);
      }
    }
    return list;
  }

  /// A framework, a known extension, or any other package that is installed; null if none is.
  const FrameworkFacts* find_framework(const std::string& wanted) {
    const auto hit = std::ranges::find_if(frameworks_, [&](const FrameworkFacts& framework) {
      return is_same_framework(framework, wanted);
    });
    if (hit != frameworks_.end()) {
      return &*hit;
    }
    const auto package = std::ranges::find(distributions_, normalize_project_name(wanted),
                                           &Distribution::normalized);
    if (package == distributions_.end()) {
      return nullptr;
    }
    read_requirements(*package, answer_.errors);
    return &extensions_.emplace_back(extension_of(*package));
  }

  Result<void> search_environment() {
    PLUMB_ASSIGN(const std::vector<const FrameworkFacts*> asked, asked_frameworks());
    std::vector<std::vector<const FrameworkFacts*>> processes;
    if (!asked.empty()) {
      processes.push_back(asked);
    } else {
      for (const FrameworkFacts& framework : frameworks_) {
        if (framework.is_framework) {
          processes.push_back({&framework});
        }
      }
    }
    RealFiles& view = files(environment_->system);
    const PythonPlace python = python_place(host_, view, *environment_);
    for (const auto& frameworks : processes) {
      ReplayedProcess process = start_python(host_, view, *environment_, python);
      std::string names;
      for (const FrameworkFacts* framework : frameworks) {
        names += (names.empty() ? "" : " + ") + framework->name;
      }
      std::size_t before = 0;
      process.visit([&](auto& it) { before = it.objects().size(); });
      for (const FrameworkFacts* framework : frameworks) {
        import_framework(process, python, view, *framework, distributions_);
        if (const FrameworkLoad& load = process.loads.back(); load.failed) {
          answer_.failures.push_back(framework->name + ": " + load.fault);
        }
      }
      std::ranges::move(process.errors, std::back_inserter(answer_.errors));
      process.visit([&](auto& it) {
        std::vector<LibraryChoice> choices = cuda_choices(it, process.loads, known_folders());
        for (const std::string& wanted : question_.libraries) {
          add_others(it, wanted, choices);
        }
        for (LibraryChoice& choice : choices) {
          if (question_.all || is_asked(choice.library) || is_asked(choice.path)) {
            choice.framework = names;
            answer_.results.push_back(std::move(choice));
          }
        }
        check_from(it, before);
      });
    }
    for (const std::string& wanted : question_.libraries) {
      if (std::ranges::none_of(answer_.results, [&](const LibraryChoice& choice) {
            return names_library(wanted, choice.library) || names_library(wanted, choice.path);
          })) {
        search_plainly(view, wanted);
      }
    }
    return {};
  }

  /// Libraries of the process that are asked for and have nothing to do with CUDA.
  template <class Process>
  void add_others(const Process& process, const std::string& wanted,
                  std::vector<LibraryChoice>& choices) {
    for (std::size_t i = 1; i < process.objects().size(); ++i) {
      const std::string& file = process.objects()[i].file;
      if (names_library(wanted, file) &&
          std::ranges::find(choices, file, &LibraryChoice::path) == choices.end()) {
        choices.push_back(choice_of(process, i, known_folders()));
      }
    }
  }

  /// What dlopen(NAME) from Python would find, when no framework loads it. A name without its
  /// version means every library of that name that lies somewhere.
  void search_plainly(RealFiles& view, const std::string& wanted) {
    ReplayedProcess process = environment_ ? start_python(host_, view, *environment_,
                                                          python_place(host_, view, *environment_))
                                           : start_nothing(host_, view);
    std::ranges::move(process.errors, std::back_inserter(answer_.errors));
    process.visit([&](auto& it) {
      for (const std::string& name : names_meant(view, wanted)) {
        const OpenedLibrary opened = open_from_python(it, name);
        answer_.results.push_back(opened.object
                                      ? choice_of(it, *opened.object, known_folders())
                                      : no_choice(it, name, 0, opened.fault, known_folders()));
        if (!environment_) {
          answer_.results.back().needed_by.clear();
        }
      }
    });
  }

  std::set<std::string> names_meant(RealFiles& view, const std::string& wanted) {
    std::set<std::string> names;
    if (wanted.find('.') == std::string::npos) {
      std::set<std::string> files_seen;
      for (const std::string& folder : known_folders()) {
        for (const std::string& name : view.list(folder)) {
          const std::string path = folder + (system() == "windows" ? '\\' : '/') + name;
          if (names_library(wanted, name) && is_library_name(name) &&
              files_seen.insert(view.entry(path).identity).second) {
            names.insert(name);
          }
        }
      }
    }
    return names.empty() ? std::set<std::string>{wanted} : names;
  }

  [[nodiscard]] bool is_asked(const std::string& name) const {
    return !name.empty() &&
           std::ranges::any_of(question_.libraries, [&](const std::string& wanted) {
             return names_library(wanted, name);
           });
  }

  template <class Process>
  void report_tree(const Process& process, std::size_t root) {
    std::ranges::move(tree_choices(process, root, known_folders()),
                      std::back_inserter(answer_.results));
  }

  template <class Process>
  void check_from(const Process& process, std::size_t first) {
    check(process, objects_between(first, process.objects().size()));
  }

  template <class Process>
  void check(const Process& process, const std::vector<std::size_t>& objects) {
    if (!question_.symbols) {
      return;
    }
    SymbolCheck found = check_objects(process, objects);
    find_symbol_copies(process, known_folders(), found.missing);
    answer_.symbols.looked_up += found.looked_up;
    std::ranges::move(found.missing, std::back_inserter(answer_.symbols.missing));
    std::ranges::move(found.errors, std::back_inserter(answer_.errors));
  }

  const Host& host_;
  const LibraryQuestion& question_;
  LibraryAnswer answer_;
  std::optional<PythonEnvironment> environment_;
  std::vector<Distribution> distributions_;
  std::vector<FrameworkFacts> frameworks_;
  std::list<FrameworkFacts> extensions_;  // packages that were asked for; they stay where they are
  std::unique_ptr<RealFiles> files_;
  std::optional<std::vector<std::string>> known_folders_;
};

}  // namespace

Result<LibraryAnswer> search_libraries(const Host& host, const LibraryQuestion& question) {
  return Search(host, question).run();
}

}  // namespace plumb

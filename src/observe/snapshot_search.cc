// SPDX-License-Identifier: Apache-2.0
#include "observe/snapshot_search.h"

#include <algorithm>

#include "binary/nvidia_names.h"
#include "binary/wheel.h"

namespace plumb {
namespace {

std::string_view last_name(const ProcessLibraries& process) {
  const std::string_view names = process.framework;
  const std::size_t plus = names.rfind(" + ");
  return plus == std::string_view::npos ? names : names.substr(plus + 3);
}

bool means(const Snapshot& snapshot, std::string_view name, const std::string& wanted) {
  const std::string normalized = normalize_project_name(wanted);
  return name == normalized ||
         std::ranges::any_of(snapshot.machine.frameworks, [&](const FrameworkFacts& framework) {
           return framework.name == name && normalize_project_name(framework.package) == normalized;
         });
}

/// Those whose choices answer the question.
Result<std::vector<const ProcessLibraries*>> processes_asked(const Snapshot& snapshot,
                                                             const LibraryQuestion& question) {
  std::vector<const ProcessLibraries*> list;
  if (question.frameworks.size() > 1) {
    return fail(ErrorCode::unsupported,
                "the snapshot holds each framework in a process of its own; ask for one");
  }
  for (const ProcessLibraries& process : snapshot.processes) {
    const auto framework =
        std::ranges::find(snapshot.machine.frameworks, process.framework, &FrameworkFacts::name);
    const bool own = framework != snapshot.machine.frameworks.end() && framework->is_framework;
    if (question.frameworks.empty()
            ? own
            : !process.framework.empty() &&
                  means(snapshot, last_name(process), question.frameworks.front())) {
      list.push_back(&process);
    }
  }
  if (list.empty() && !question.frameworks.empty()) {
    Error error{ErrorCode::usage, "is not in the snapshot", question.frameworks.front(), {}};
    for (const ProcessLibraries& process : snapshot.processes) {
      if (!process.framework.empty()) {
        error.hints.push_back("--for " + std::string(last_name(process)));
      }
    }
    return std::unexpected(std::move(error));
  }
  return list;
}

bool is_asked(const LibraryChoice& choice, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](const std::string& name) {
    return names_library(name, choice.library) || names_library(name, choice.path);
  });
}

}  // namespace

Result<LibraryAnswer> search_snapshot(const Snapshot& snapshot, const LibraryQuestion& question) {
  if (!question.file.empty() || question.symbols) {
    return fail(ErrorCode::unsupported, std::string(question.symbols ? "--symbols" : "--of") +
                                            " needs the files themselves, which no snapshot holds");
  }
  PLUMB_ASSIGN(const std::vector<const ProcessLibraries*> processes,
               processes_asked(snapshot, question));
  LibraryAnswer answer;
  for (const ProcessLibraries* process : processes) {
    if (!process->failure.empty()) {
      answer.failures.push_back(std::string(last_name(*process)) + ": " + process->failure);
    }
    for (std::size_t i = 0; i < process->choices.size(); ++i) {
      const LibraryChoice& choice = process->choices[i];
      if ((question.all && i < process->cuda_choices) || is_asked(choice, question.libraries)) {
        answer.results.push_back(choice);
      }
    }
  }
  for (const std::string& wanted : question.libraries) {
    const std::vector<std::string> names = {wanted};
    const auto asked = [&](const LibraryChoice& choice) { return is_asked(choice, names); };
    if (std::ranges::any_of(answer.results, asked)) {
      continue;
    }
    const auto alone = std::ranges::find(snapshot.processes, "", &ProcessLibraries::framework);
    const std::size_t before = answer.results.size();
    if (alone != snapshot.processes.end()) {
      std::ranges::copy_if(alone->choices, std::back_inserter(answer.results), asked);
    }
    if (answer.results.size() == before) {
      if (!is_nvidia_library(wanted) && !is_nvidia_library("lib" + wanted + ".so")) {
        Error error{ErrorCode::unsupported,
                    "was loaded by no framework, and what else lies on that machine the snapshot "
                    "does not hold",
                    wanted,
                    {}};
        return std::unexpected(std::move(error));
      }
      LibraryChoice none;
      none.library = wanted;
      none.fault = "no such file was seen on that machine";
      answer.results.push_back(std::move(none));
    }
  }
  return answer;
}

}  // namespace plumb

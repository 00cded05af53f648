// SPDX-License-Identifier: Apache-2.0
#include "observe/load_faults.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/demangle.h"
#include "base/text.h"
#include "binary/nvidia_names.h"
#include "observe/environment_loading.h"
#include "observe/frameworks.h"
#include "observe/process_libraries.h"
#include "os/file.h"
#include "os/parallel.h"

namespace plumb {
namespace {

/// The same for all builds of one library: "libbitsandbytes_cuda126.so" and "..._cuda130.so",
/// "_C.cpython-311-x86_64-linux-gnu.so" and "_C.cpython-312-...".
std::string without_digits(std::string_view path) {
  std::string name = base_name(path);
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

std::optional<std::size_t> find_loaded(const LinuxProcess& process, const std::string& name) {
  const auto& objects = process.objects();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const LinuxObject& object = objects[i];
    if (std::ranges::find(object.names, name) != object.names.end() ||
        (object.elf != nullptr && object.elf->soname == name)) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> find_loaded(const WindowsProcess& process, const std::string& name) {
  const auto& objects = process.objects();
  const auto hit = std::ranges::find(objects, to_lower_ascii(name), &WindowsObject::name);
  return hit == objects.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(hit - objects.begin()));
}

class Observer {
 public:
  Observer(const Host& host, const PythonEnvironment& environment,
           const std::vector<Distribution>& distributions,
           const std::vector<FrameworkFacts>& frameworks, FrameworkFacts framework)
      : distributions_(distributions),
        files_(host, environment.system),
        python_(python_place(host, files_, environment)),
        process_(start_python(host, files_, environment, python_)),
        framework_(std::move(framework)) {
    if (!framework_.is_framework) {
      for (const FrameworkFacts* base : bases_of(files_, framework_, frameworks, distributions)) {
        framework_.bases.push_back(base->name);
        import_framework(process_, python_, files_, *base, distributions);
      }
    }
  }

  FrameworkFacts observe(ProcessLibraries* kept, const std::vector<std::string>& known_folders) {
    std::size_t before = 0;
    process_.visit([&](const auto& process) { before = process.objects().size(); });
    import_framework(process_, python_, files_, framework_, distributions_);
    if (kept != nullptr) {
      std::string names;
      for (const std::string& base : framework_.bases) {
        names += base + " + ";
      }
      *kept = process_libraries(process_, names + framework_.name, files_, known_folders);
    }
    process_.visit([&](auto& process) {
      note_missing_libraries(process);
      note_missing_symbols(process, before);
      find_needs(process);
    });
    return std::move(framework_);
  }

  [[nodiscard]] std::vector<Error>& errors() { return process_.errors; }

 private:
  [[nodiscard]] std::string below_site(const std::string& path) const {
    const std::string site = files_.there(framework_.site);
    return path.size() > site.size() && path.starts_with(site) ? path.substr(site.size() + 1)
                                                               : path;
  }

  template <class Process>
  void note_missing_libraries(const Process& process) {
    const FrameworkLoad& load = process_.loads.back();
    for (const LibraryRequest& request : load.requests) {
      framework_.modules_loaded += request.object && request.moment == LoadMoment::import ? 1 : 0;
      if (request.object || request.optional || request.moment != LoadMoment::import ||
          request.fault.empty()) {
        continue;
      }
      LoadFault fault;
      fault.file = below_site(request.name);
      fault.loader_text = request.fault;
      fault.library = request.missing;
      if (!request.wanted_by.empty()) {
        fault.file = below_site(request.wanted_by);
      }
      add(process, std::move(fault));
    }
    if (load.failed && framework_.load_faults.empty()) {
      LoadFault fault;
      fault.file = below_site(load.wanted_by);
      fault.library = load.missing;
      fault.loader_text = load.fault;
      add(process, std::move(fault));
    }
  }

  /// A path that was asked for is part of the framework; a bare name is somebody's library.
  template <class Process>
  void add(const Process& process, LoadFault fault) {
    fault.own_part = fault.library.find_first_of("/\\") != std::string::npos;
    if (fault.own_part) {
      fault.library = below_site(fault.library);
      fault.file = fault.library;
    }
    const std::string stem = library_stem(fault.library);
    for (const auto& object : process.objects()) {
      if (!stem.empty() && library_stem(object.file) == stem &&
          base_name(object.file) != fault.library) {
        fault.present = object.file;
        break;
      }
    }
    framework_.load_faults.push_back(std::move(fault));
  }

  template <class Process>
  void note_missing_symbols(const Process& process, std::size_t before) {
    SymbolCheck found = check_objects(process, objects_between(before, process.objects().size()));
    std::map<std::string, std::size_t> of_file;  // into load_faults
    for (const MissingSymbol& missing : found.missing) {
      const auto [known, is_new] = of_file.emplace(missing.file, framework_.load_faults.size());
      if (!is_new) {
        ++framework_.load_faults[known->second].more;
        continue;
      }
      LoadFault fault;
      fault.kind = missing.whole_version ? LoadFaultKind::version : LoadFaultKind::symbol;
      fault.file = below_site(missing.file);
      fault.library = missing.expected_in;
      fault.symbol = missing.symbol;
      fault.demangled = demangle(missing.symbol);
      fault.version = missing.version;
      fault.loader_text = missing.whole_version
                              ? base_name(missing.expected_in) + ": version `" + missing.version +
                                    "' not found (required by " + base_name(missing.file) + ")"
                              : base_name(missing.file) + ": undefined symbol: " + missing.symbol;
      framework_.load_faults.push_back(std::move(fault));
    }
    std::ranges::move(found.errors, std::back_inserter(process_.errors));
  }

  template <class Process>
  void find_needs(Process& process) {
    std::map<std::string, std::size_t> asked;  // into framework.needs
    const decltype(process.objects().front().needs) no_needs;
    std::set<std::string> chosen;  // of several builds; the others are not for this environment
    for (const BinaryFacts& library : framework_.libraries) {
      if (find_loaded(process, base_name(library.path))) {
        chosen.insert(without_digits(library.path));
      }
    }
    for (const BinaryFacts& library : framework_.libraries) {
      auto part = find_loaded(process, base_name(library.path));
      if (!part) {
        if (chosen.contains(without_digits(library.path))) {
          continue;
        }
        // As a framework opens parts that it loads when they are used.
        part = open_from_python(process, files_.there(join_path(framework_.site, library.path)))
                   .object;
      }
      for (const std::string& name : library.needs) {
        if (!is_nvidia_library(name)) {  // the driver's own are judged with the driver
          continue;
        }
        const auto [known, is_new] = asked.emplace(to_lower_ascii(name), framework_.needs.size());
        if (!is_new) {
          framework_.needs[known->second].by.push_back(library.path);
          continue;
        }
        std::string found;
        for (const auto& need : part ? process.objects()[*part].needs : no_needs) {
          if (need.object && to_lower_ascii(need.name) == to_lower_ascii(name)) {
            found = process.objects()[*need.object].file;
          }
        }
        framework_.needs.push_back(
            {name, {library.path}, found.empty() ? found : files_.here(found)});
      }
    }
  }

  const std::vector<Distribution>& distributions_;
  RealFiles files_;
  PythonPlace python_;
  ReplayedProcess process_;
  FrameworkFacts framework_;
};

}  // namespace

void observe_loading(const Host& host, const PythonEnvironment& environment,
                     const std::vector<Distribution>& distributions,
                     std::vector<FrameworkFacts>& frameworks, std::vector<Error>& errors,
                     std::vector<ProcessLibraries>* processes) {
  std::vector<std::string> known_folders;
  std::vector<ProcessLibraries> kept(processes != nullptr ? frameworks.size() : 0);
  if (processes != nullptr) {
    known_folders = known_library_folders(host, RealFiles(host, environment.system), &environment);
  }
  std::vector<FrameworkFacts> observed(frameworks.size());
  std::vector<std::vector<Error>> faults(frameworks.size());
  parallel_for(frameworks.size(), [&](std::size_t i) {
    Observer observer(host, environment, distributions, frameworks, frameworks[i]);
    observed[i] = observer.observe(kept.empty() ? nullptr : &kept[i], known_folders);
    faults[i] = std::move(observer.errors());
  });
  frameworks = std::move(observed);
  if (processes != nullptr) {
    std::ranges::move(kept, std::back_inserter(*processes));
  }
  // Extensions without CUDA count only where they do not fit their framework.
  std::erase_if(frameworks, [](const FrameworkFacts& framework) {
    return !framework.is_framework && framework.libraries.empty() && framework.load_faults.empty();
  });
  std::set<std::string> told;  // every replay reads the same cache
  for (std::vector<Error>& list : faults) {
    for (Error& error : list) {
      if (told.insert(error.where + error.what).second) {
        errors.push_back(std::move(error));
      }
    }
  }
}

}  // namespace plumb

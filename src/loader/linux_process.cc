// SPDX-License-Identifier: Apache-2.0
#include "loader/linux_process.h"

#include <algorithm>
#include <utility>

#include "loader/linux_loading.h"
#include "loader/linux_paths.h"

namespace plumb {

LinuxSettings usual_linux_settings() {
  LinuxSettings settings;
  settings.current_folder = "/";
  settings.default_folders = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib",
                              "/usr/lib"};
  settings.lib = "lib/x86_64-linux-gnu";
  settings.platform = "x86_64";
  settings.loader = "/lib64/ld-linux-x86-64.so.2";
  return settings;
}

LinuxProcess::LinuxProcess(FileView& files, LinuxSettings settings)
    : files_(files), settings_(std::move(settings)) {
  cache_.push_back({LoadRule::cache, {}, {}, std::string(rule_name(LoadRule::cache))});
  for (const std::string& folder : settings_.default_folders) {
    default_places_.push_back({LoadRule::default_folder, folder, folder + '/',
                               std::string(rule_name(LoadRule::default_folder))});
  }
}

bool LinuxProcess::is_folder(const std::string& path) {
  const auto [known, is_new] = folder_exists_.try_emplace(path, false);
  if (is_new) {
    known->second = files_.entry(path).kind == EntryKind::folder;
  }
  return known->second;
}

void LinuxProcess::visit_lists(
    std::size_t asker, const std::function<bool(std::span<const LinuxPlace>)>& found) const {
  const auto visit = [&](const std::optional<std::string>& list, LoadRule rule, std::size_t owner) {
    return list && found(places_of(*list, rule, objects_[owner], settings_, files_));
  };
  const auto visit_rpath = [&](std::size_t owner) {
    const ElfFile* elf = objects_[owner].elf;
    return elf != nullptr && !elf->runpath && visit(elf->rpath, LoadRule::rpath, owner);
  };
  const ElfFile* elf = objects_[asker].elf;
  if (elf == nullptr || !elf->runpath) {
    bool program_done = false;
    for (std::optional<std::size_t> object = asker; object; object = objects_[*object].needed_by) {
      if (visit_rpath(*object)) {
        return;
      }
      program_done = program_done || *object == 0;
    }
    if (!program_done && visit_rpath(0)) {
      return;
    }
  }
  if (found(library_path_) || (elf != nullptr && visit(elf->runpath, LoadRule::runpath, asker)) ||
      found(cache_)) {
    return;
  }
  if (elf == nullptr || (elf->flags_1 & kDf1NoDefaultLibraries) == 0) {
    found(default_places_);
  }
}

std::vector<LinuxPlace> LinuxProcess::places(std::size_t asker) const {
  std::vector<LinuxPlace> places;
  visit_lists(asker, [&](std::span<const LinuxPlace> list) {
    places.insert(places.end(), list.begin(), list.end());
    return false;
  });
  return places;
}

LinuxOpen LinuxProcess::start(const std::string& program, LoadMode mode) {
  LinuxOpen result;
  Loading loading(*this, mode);
  const std::string path = absolute_path(settings_, program);
  const Found found = loading.probe(path, LoadRule::program, {});
  if (found.kind != Found::Kind::file) {
    result.fault = path + ": " + (found.fault.empty() ? found.reason : found.fault);
    result.missing = path;
    return result;
  }
  LinuxObject main;
  main.file = path;
  main.identity = found.identity;
  main.elf = found.elf;
  main.known_by_file = false;
  objects_.push_back(std::move(main));
  library_path_ =
      places_of(settings_.library_path, LoadRule::library_path, objects_[0], settings_, files_);

  LinuxObject loader;  // ld.so is there before anything is looked for
  loader.file = found.elf->interpreter.value_or(settings_.loader);
  loader.path = loader.file;
  loader.names = {loader.file, loader.file.substr(loader.file.rfind('/') + 1)};
  loader.identity = files_.entry(loader.file).identity;
  if (const auto elf = files_.elf(loader.file)) {
    loader.elf = *elf;
  }
  loader.known_by_file = false;
  loader.rule = LoadRule::given_path;
  loader.detail = "the program's interpreter";
  objects_.push_back(std::move(loader));

  std::vector<std::size_t> preloads;
  const auto preload = [&](const std::string& name, std::string_view from) {
    if (name.empty()) {
      return;
    }
    const std::size_t before = objects_.size();
    const Loading::Mapped mapped = loading.map(name, 0, Loading::By::need);
    if (!mapped.object) {
      result.notes.push_back("object '" + name + "' from " + std::string(from) +
                             " cannot be preloaded (" + mapped.fault + "): ignored.");
    } else if (*mapped.object >= before) {
      objects_[*mapped.object].rule = LoadRule::preload;
      objects_[*mapped.object].detail = from;
      preloads.push_back(*mapped.object);
    }
  };
  for (const std::string& name : split_list(settings_.preload, " :")) {
    preload(name, "LD_PRELOAD");
  }
  for (const std::string& line : split_list(settings_.preload_file, "\n")) {
    for (const std::string& name : split_list(line.substr(0, line.find('#')), " \t:")) {
      preload(name, "/etc/ld.so.preload");
    }
  }
  if (!loading.map_needs(0, preloads, result)) {
    objects_.clear();
    return result;
  }
  global_scope_ = objects_[0].search_list;
  for (LinuxObject& object : objects_) {
    object.global_at_load = global_scope_.size();
  }
  for (const std::size_t object : global_scope_) {
    objects_[object].global = true;
  }
  started_ = objects_.size();
  result.object = 0;
  loading.list_new(result);
  return result;
}

void LinuxProcess::start_unknown(const std::string& program) {
  static const ElfFile kNothing;
  LinuxObject main;
  main.file = absolute_path(settings_, program);
  main.elf = &kNothing;
  main.stand_in = true;
  main.search_list = {0};
  main.global = true;
  objects_ = {std::move(main)};
  global_scope_ = {0};
  started_ = 1;
  library_path_ =
      places_of(settings_.library_path, LoadRule::library_path, objects_[0], settings_, files_);
}

LinuxOpen LinuxProcess::open(const std::string& name, const LinuxOpenOptions& options) {
  LinuxOpen result;
  Loading loading(*this, options.mode);
  const std::size_t before = loading.first_new();
  const Loading::Mapped mapped =
      loading.map(name, options.caller, options.no_load ? Loading::By::no_load : Loading::By::open);
  if (!mapped.object) {
    result.missing = name;
    if (!mapped.fault.empty()) {
      result.fault = mapped.words();
      result.wanted_by = objects_[options.caller].file;
    }
    return result;
  }
  const std::size_t root = *mapped.object;
  if (objects_[root].search_list.empty()) {
    if (!loading.map_needs(root, {}, result)) {
      forget_from(before);
      return result;
    }
    for (const std::size_t member : objects_[root].search_list) {
      std::vector<std::size_t>& scopes = objects_[member].scopes;
      if (member >= started_ && std::ranges::find(scopes, root) == scopes.end()) {
        scopes.push_back(root);
      }
      objects_[member].deep_bind |= options.deep_bind && member >= before;
    }
  }
  if (options.global) {
    for (const std::size_t member : objects_[root].search_list) {
      if (!objects_[member].global) {
        objects_[member].global = true;
        global_scope_.push_back(member);
        result.made_global.push_back(member);
      }
    }
  }
  result.object = root;
  loading.list_new(result);
  return result;
}

void LinuxProcess::undo(const LinuxOpen& opened) {
  for (const std::size_t object : opened.made_global) {
    objects_[object].global = false;
    std::erase(global_scope_, object);
  }
  if (!opened.loaded.empty()) {
    forget_from(opened.loaded.front());
  }
}

/// Objects from `first` on leave no trace: neither in scopes nor in the needs of others, which can
/// only be their own.
void LinuxProcess::forget_from(std::size_t first) {
  objects_.resize(std::min(first, objects_.size()));
  const auto gone = [first](std::size_t object) { return object >= first; };
  std::erase_if(global_scope_, gone);
  for (LinuxObject& object : objects_) {
    std::erase_if(object.scopes, gone);
    if (std::ranges::any_of(object.search_list, gone)) {
      object.search_list.clear();
    }
  }
}

}  // namespace plumb

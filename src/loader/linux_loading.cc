// SPDX-License-Identifier: Apache-2.0
// The order of ld.so, for a bare name that object A needs:
//
//   0  an object that is loaded already and known by that name, or has it as its SONAME
//   1  DT_RPATH of A, then of the object that brought A, and so on, at last the program's; none of
//      them if A has DT_RUNPATH; an object's RPATH does not count where it has a RUNPATH
//   2  LD_LIBRARY_PATH
//   3  DT_RUNPATH of A alone
//   4  /etc/ld.so.cache
//   5  the default folders (neither 4's entries in them nor 5 under DF_1_NODEFLIB)
//
// In each folder the subfolders for this CPU come first. A file of another class or machine is
// passed over; an empty or damaged one ends the search with an error. A file that is loaded already
// (by device and inode) is not loaded twice, whatever its name; but neither the program nor ld.so
// itself is known by its file, only by name.
//
// Names stay as they are written: a relative folder gives a relative path, an empty element of a
// list the bare name, and the loaded-already rule compares a name before $ORIGIN is put in (a
// needed name: after).
//
// An object that dlopen() brings starts a chain of its own: it inherits no RPATH but the program's.
#include "loader/linux_loading.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "loader/linux_paths.h"

namespace plumb {
namespace {

constexpr std::size_t kMostObjects = 20'000;
constexpr std::uint64_t kMostTries = 20'000'000;  // folders, over all names
constexpr std::size_t kLongestPath = 4096;        // PATH_MAX
constexpr std::size_t kLongestName = 255;         // NAME_MAX
constexpr std::string_view kCannotOpen = "cannot open shared object file";
constexpr std::string_view kNoEntry = "No such file or directory";
constexpr std::string_view kDenied = "Permission denied";
constexpr std::string_view kNoFolder = "Not a directory";
constexpr std::string_view kTooLong = "File name too long";

template <class Range, class Value, class Projection = std::identity>
bool contains(const Range& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

}  // namespace

std::string LinuxProcess::Loading::Mapped::words() const {
  return place + ": " + fault + (reason.empty() ? "" : ": " + reason);
}

LinuxProcess::Loading::Mapped LinuxProcess::Loading::map(const std::string& name, std::size_t asker,
                                                         By by) {
  if (const auto known = loaded_under(name)) {
    return {known, LoadRule::already_loaded, {}, {}, {}, {}};
  }
  const auto failed = [&](const Found& found, std::string place, std::string fault,
                          std::string reason) {
    return Mapped{{}, found.rule, {}, std::move(place), std::move(fault), std::move(reason)};
  };
  Found found = name.find('/') == std::string::npos ? search(name, asker) : open_path(name, asker);
  if (found.kind == Found::Kind::fatal) {
    return failed(found, found.path, found.fault, found.reason);
  }
  if (found.kind == Found::Kind::nothing) {
    return found.fault.empty() ? failed(found, name, std::string(kCannotOpen), found.reason)
                               : failed(found, name, found.fault, {});  // another class
  }
  auto& objects = process_.objects_;
  const auto same = std::ranges::find_if(objects, [&](const LinuxObject& object) {
    return object.elf != nullptr && object.identity == found.identity && !found.identity.empty() &&
           object.known_by_file;
  });
  if (same != objects.end()) {
    same->names.push_back(name);
    return {static_cast<std::size_t>(same - objects.begin()), found.rule, found.detail, {}, {}, {}};
  }
  if (by == By::no_load) {
    return failed(found, {}, {}, {});
  }
  if (std::string fault = refusal(*found.elf); !fault.empty()) {
    return failed(found, name, std::move(fault), {});
  }
  if (objects.size() >= kMostObjects) {
    return failed(found, name, "more libraries than plumb follows", {});
  }
  LinuxObject object;
  object.file = absolute_path(process_.settings_, found.path);
  object.path = std::move(found.path);
  object.identity = std::move(found.identity);
  object.names = {name};
  object.elf = found.elf;
  (by == By::open ? object.opened_by : object.needed_by) = asker;
  object.rule = found.rule;
  object.detail = found.detail;
  object.global_at_load = process_.global_scope_.size();
  objects.push_back(std::move(object));
  return {objects.size() - 1, found.rule, std::move(found.detail), {}, {}, {}};
}

bool LinuxProcess::Loading::map_needs(std::size_t root, const std::vector<std::size_t>& preloads,
                                      LinuxOpen& result) {
  std::vector<std::size_t> list = {root};
  std::set<std::size_t> in_list = {root};
  const auto add = [&](std::size_t object) {
    if (in_list.insert(object).second) {
      list.push_back(object);
    }
  };
  std::ranges::for_each(preloads, add);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t asker = list[i];
    if (!process_.objects_[asker].needs.empty() || process_.objects_[asker].elf == nullptr) {
      for (const LinuxNeed& need : process_.objects_[asker].needs) {
        if (need.object) {
          add(*need.object);
        }
      }
      continue;
    }
    for (const std::string& written : process_.objects_[asker].elf->needed) {
      const auto expanded =
          expand_tokens(written, process_.objects_[asker], process_.settings_, process_.files_);
      LinuxNeed need;
      need.name = expanded.value_or(written);
      Mapped mapped = expanded ? map(need.name, asker, By::need)
                               : Mapped{{},
                                        LoadRule::given_path,
                                        {},
                                        written,
                                        "empty dynamic string token substitution",
                                        {}};
      need.object = mapped.object;
      need.rule = mapped.rule;
      need.detail = std::move(mapped.detail);
      if (!mapped.object) {
        need.fault = mapped.words();
      }
      if (need.object) {
        add(*need.object);
      } else if (mode_ == LoadMode::strict) {
        result.fault = need.fault;
        result.missing = need.name;
        result.wanted_by = process_.objects_[asker].file;
        return false;
      }
      process_.objects_[asker].needs.push_back(std::move(need));
    }
  }
  process_.objects_[root].search_list = std::move(list);
  return true;
}

void LinuxProcess::Loading::list_new(LinuxOpen& result) const {
  for (std::size_t i = first_new_; i < process_.objects_.size(); ++i) {
    result.loaded.push_back(i);
  }
}

std::optional<std::size_t> LinuxProcess::Loading::loaded_under(const std::string& name) {
  auto& objects = process_.objects_;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    LinuxObject& object = objects[i];
    if (object.path == name || contains(object.names, name)) {
      return i;
    }
    if (object.elf != nullptr && object.elf->soname == name) {
      object.names.push_back(name);
      return i;
    }
  }
  return std::nullopt;
}

LinuxProcess::Found LinuxProcess::Loading::open_path(const std::string& name, std::size_t asker) {
  // A name with a slash is a path, in which $ORIGIN and the like stand for the asker's.
  const auto path =
      expand_tokens(name, process_.objects_[asker], process_.settings_, process_.files_);
  if (path) {
    return probe(*path, LoadRule::given_path, {});
  }
  Found nothing;
  nothing.reason = kNoEntry;
  return nothing;
}

LinuxProcess::Found LinuxProcess::Loading::search(const std::string& name, std::size_t asker) {
  Found result;
  result.reason = kNoEntry;
  process_.visit_lists(asker, [&](std::span<const LinuxPlace> list) {
    for (const LinuxPlace& place : list) {
      if (++process_.tried_ > kMostTries) {
        result.kind = Found::Kind::fatal;
        result.path = name;
        result.fault = "more folders than plumb looks through";
        return true;
      }
      Found found = place.rule == LoadRule::cache ? search_cache(name, asker, place)
                                                  : search_folder(name, place);
      if (found.kind != Found::Kind::nothing) {
        result = std::move(found);
        return true;
      }
      if (!found.fault.empty()) {
        result.fault = std::move(found.fault);
      }
      if (!found.reason.empty()) {
        result.reason = std::move(found.reason);
      }
      if (found.ends_list) {
        break;
      }
    }
    return false;
  });
  return result;
}

LinuxProcess::Found LinuxProcess::Loading::search_folder(const std::string& name,
                                                         const LinuxPlace& place) {
  Found last;
  if (!process_.is_folder(place.folder)) {
    // ld.so remembers of an absolute folder alone that it is none; in a relative one it tries.
    return place.prefix.starts_with('/') ? last
                                         : probe(place.prefix + name, place.rule, place.detail);
  }
  const auto try_in = [&](const std::string& prefix) {
    Found found = probe(prefix + name, place.rule, place.detail);
    if (found.kind == Found::Kind::nothing && found.fault.empty()) {
      found.fault = std::move(last.fault);
    }
    last = std::move(found);
    return last.kind != Found::Kind::nothing;
  };
  for (const std::string& level : process_.settings_.hwcaps) {
    if (process_.is_folder(path_in(place.folder, level)) && try_in(place.prefix + level + '/')) {
      return last;
    }
  }
  try_in(place.prefix);
  return last;
}

LinuxProcess::Found LinuxProcess::Loading::search_cache(const std::string& name, std::size_t asker,
                                                        const LinuxPlace& place) {
  constexpr std::string_view kPrefix = "glibc-hwcaps/";
  std::vector<std::string> levels;
  for (const std::string& folder : process_.settings_.hwcaps) {
    if (folder.starts_with(kPrefix)) {
      levels.push_back(folder.substr(kPrefix.size()));
    }
  }
  const std::string path = find_in_cache(process_.settings_.cache, name, levels);
  if (path.empty()) {
    return {};
  }
  const LinuxObject& object = process_.objects_[asker];
  if (object.elf != nullptr && (object.elf->flags_1 & kDf1NoDefaultLibraries) != 0 &&
      std::ranges::any_of(process_.settings_.default_folders, [&](const std::string& folder) {
        return path.starts_with(folder + "/");
      })) {
    return {};
  }
  return probe(path, LoadRule::cache, place.detail);
}

LinuxProcess::Found LinuxProcess::Loading::probe(const std::string& path, LoadRule rule,
                                                 const std::string& detail) {
  Found found;
  found.rule = rule;
  found.detail = detail;
  found.path = path;
  const auto no_file = [&](std::string_view reason) {
    found.reason = reason;
    // An element that is a file ended its list in glibc 2.36, and does not in 2.39.
    constexpr int kLastThatEnds = 36;
    const int minor = process_.settings_.glibc_minor;
    const bool passed_over = reason == kNoEntry || reason == kDenied ||
                             (reason == kNoFolder && (minor == 0 || minor > kLastThatEnds));
    found.ends_list = !passed_over;
    return found;
  };
  const auto fatal = [&](std::string_view fault, std::string_view reason) {
    found.kind = Found::Kind::fatal;
    found.fault = fault;
    found.reason = reason;
    return found;
  };
  if (path.size() >= kLongestPath) {
    return no_file(kTooLong);
  }
  const std::string file = absolute_path(process_.settings_, path);
  FileEntry entry = process_.files_.entry(file);
  switch (entry.kind) {
    case EntryKind::none:
      return no_file(why_nothing(file));
    case EntryKind::denied:
      return no_file(kDenied);
    case EntryKind::folder:
      return fatal("cannot read file data", "Is a directory");
    case EntryKind::special:
      return fatal("cannot read file data", {});
    case EntryKind::loop:
      return no_file("Too many levels of symbolic links");
    case EntryKind::file:
      break;
  }
  const auto elf = process_.files_.elf(file);
  if (!elf && elf.error().code == ErrorCode::no_permission) {
    return no_file(kDenied);
  }
  const ElfHeaderVerdict verdict = elf && !(*elf)->odd_header && !(*elf)->big_endian
                                       ? judge_elf_header(**elf, process_.settings_.machine)
                                       : header_of(file, elf);
  switch (verdict.kind) {
    case ElfHeaderVerdict::Kind::other_class:
    case ElfHeaderVerdict::Kind::other_machine:
      found.fault = verdict.words;
      found.reason = kNoEntry;
      return found;
    case ElfHeaderVerdict::Kind::refused:
      return fatal(verdict.words, {});
    case ElfHeaderVerdict::Kind::right:
      break;
  }
  if (!elf) {
    return fatal(
        elf.error().code == ErrorCode::truncated ? "cannot read file data" : elf.error().what, {});
  }
  found.kind = Found::Kind::file;
  found.elf = *elf;
  found.identity = std::move(entry.identity);
  return found;
}

/// The system's words for a path that leads nowhere.
std::string_view LinuxProcess::Loading::why_nothing(std::string_view path) const {
  while (path.size() > 1) {
    const std::string_view folder = folder_of(path);
    const EntryKind kind = process_.files_.entry(std::string(folder)).kind;
    if (kind == EntryKind::file) {
      return kNoFolder;
    }
    if (kind != EntryKind::none) {
      const bool too_long = path.size() - path.rfind('/') - 1 > kLongestName;
      return kind == EntryKind::folder && too_long ? kTooLong : kNoEntry;
    }
    path = folder;
  }
  return kNoEntry;
}

/// Of a file that is no ELF file, or an unusual one.
ElfHeaderVerdict LinuxProcess::Loading::header_of(const std::string& file,
                                                  const Result<const ElfFile*>& elf) const {
  const auto source = process_.files_.open(file);
  if (source) {
    const auto size = std::min<std::uint64_t>((*source)->size(), kElfHeaderSize);
    if (const auto bytes = read_range(**source, 0, size, kElfHeaderSize)) {
      return judge_elf_header(*bytes, process_.settings_.machine);
    }
  }
  if (elf) {  // a snapshot has no bytes
    return judge_elf_header(**elf, process_.settings_.machine);
  }
  const ErrorCode code = elf.error().code;
  return {ElfHeaderVerdict::Kind::refused, code == ErrorCode::not_binary  ? "invalid ELF header"
                                           : code == ErrorCode::truncated ? "file too short"
                                                                          : elf.error().what};
}

/// Why ld.so refuses a file that is for this machine.
std::string LinuxProcess::Loading::refusal(const ElfFile& elf) const {
  constexpr std::uint16_t kTypeExec = 2;
  constexpr std::uint32_t kPtLoad = 1, kPtDynamic = 2;
  if (!contains(elf.segments, kPtLoad, &ElfSegment::type)) {
    return "object file has no loadable segments";
  }
  if (elf.type == kTypeExec) {
    return "cannot dynamically load executable";
  }
  if (!contains(elf.segments, kPtDynamic, &ElfSegment::type)) {
    return "object file has no dynamic section";
  }
  if ((elf.flags_1 & kDf1Pie) != 0) {
    return "cannot dynamically load position-independent executable";
  }
  // Whatever a dlopen() brings, not only what it names; a program's own needs are not asked.
  if (process_.started_ != 0 && (elf.flags_1 & kDf1NoOpen) != 0) {
    return "shared object cannot be dlopen()ed";
  }
  return {};
}

}  // namespace plumb

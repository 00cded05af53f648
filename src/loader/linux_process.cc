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
#include "loader/linux_process.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "loader/elf_header.h"

namespace plumb {
namespace {

constexpr std::size_t kMostObjects = 20'000;
constexpr std::size_t kMostPathElements = 100'000;
constexpr std::size_t kLongestPath = 4096;  // PATH_MAX

constexpr std::size_t kLongestName = 255;  // NAME_MAX
constexpr std::string_view kCannotOpen = "cannot open shared object file";
constexpr std::string_view kNoEntry = "No such file or directory";
constexpr std::string_view kDenied = "Permission denied";
constexpr std::string_view kTooLong = "File name too long";

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? folder + std::string(name) : folder + '/' + std::string(name);
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size() && parts.size() < kMostPathElements;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class Range, class Value, class Projection = std::identity>
bool contains(const Range& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

/// What stands behind $ORIGIN, $LIB and $PLATFORM.
struct Tokens {
  std::string origin;
  const LinuxSettings& settings;

  /// Empty: the text names a token whose value is not known, so ld.so drops the whole element.
  [[nodiscard]] std::optional<std::string> expand(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '$') {
        out += text[at++];
        continue;
      }
      const auto [value, length] = token(text.substr(at));
      if (length == 0) {
        out += text[at++];
        continue;
      }
      if (value == nullptr || value->empty()) {
        return std::nullopt;
      }
      out += *value;
      at += length;
    }
    return out;
  }

 private:
  [[nodiscard]] std::pair<const std::string*, std::size_t> token(std::string_view text) const {
    const std::array<std::pair<std::string_view, const std::string*>, 3> known = {
        {{"ORIGIN", &origin}, {"LIB", &settings.lib}, {"PLATFORM", &settings.platform}}};
    const bool braced = text.substr(1).starts_with('{');
    const std::string_view rest = text.substr(braced ? 2 : 1);
    for (const auto& [name, value] : known) {
      if (!rest.starts_with(name)) {
        continue;
      }
      const std::string_view after = rest.substr(name.size());
      if (braced) {
        if (after.starts_with('}')) {
          return {value, name.size() + 3};
        }
        continue;
      }
      const bool goes_on =
          !after.empty() &&
          (after[0] == '_' || (after[0] >= '0' && after[0] <= '9') ||
           (after[0] >= 'A' && after[0] <= 'Z') || (after[0] >= 'a' && after[0] <= 'z'));
      if (!goes_on) {
        return {value, name.size() + 1};
      }
    }
    return {nullptr, 0};
  }
};

std::string absolute(const LinuxSettings& settings, const std::string& path) {
  return path.starts_with('/') ? path : joined(settings.current_folder, path);
}

Tokens tokens_of(const LinuxObject& object, const LinuxSettings& settings, FileView& files) {
  // The program's origin is that of the file that runs, a library's that of the path it was opened
  // by.
  const bool runs = object.rule == LoadRule::program && object.elf != nullptr &&
                    object.elf->interpreter.has_value();
  return {std::string(folder_of(runs ? files.resolved(object.file) : object.file)), settings};
}

/// The folders that a list names, each once, in order.
std::vector<LinuxPlace> places_of(std::string_view list, LoadRule rule, const LinuxObject& owner,
                                  const LinuxSettings& settings, FileView& files) {
  std::vector<LinuxPlace> places;
  if (list.empty()) {
    return places;  // an empty list is none; an empty element is the current folder
  }
  const Tokens tokens = tokens_of(owner, settings, files);
  const bool variable = rule == LoadRule::library_path;
  std::set<std::string> seen;
  for (const std::string& element : split(list, variable ? ":;" : ":")) {
    const auto expanded = tokens.expand(element);
    if (!expanded) {
      continue;
    }
    std::string prefix = *expanded;
    while (prefix.size() > 1 && prefix.ends_with('/')) {
      prefix.pop_back();
    }
    if (!prefix.empty() && prefix != "/") {
      prefix += '/';
    }
    if (!seen.insert(prefix).second) {
      continue;
    }
    std::string folder = settings.current_folder;
    if (!prefix.empty()) {
      folder = absolute(settings, prefix == "/" ? prefix : prefix.substr(0, prefix.size() - 1));
    }
    std::string detail(rule_name(rule));
    if (!variable) {
      detail += " " + element + " of " + owner.file;
    }
    places.push_back({rule, std::move(folder), std::move(prefix), std::move(detail), 0});
  }
  return places;
}

}  // namespace

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

/// What a search or a path led to.
struct LinuxProcess::Found {
  enum class Kind : std::uint8_t { nothing, file, fatal };
  Kind kind = Kind::nothing;
  std::string path;
  std::string identity;
  const ElfFile* elf = nullptr;
  LoadRule rule = LoadRule::given_path;
  std::string detail;
  std::string fault;       // of `fatal`; of `nothing`: there was one, but of another class
  std::string reason;      // the system's: "Is a directory"; "" = nothing was tried
  bool ends_list = false;  // there is something of the name, so the list's other folders wait
};

/// One start() or open(): what it loads, and what it takes back if it fails.
class LinuxProcess::Loading {
 public:
  Loading(LinuxProcess& process, LoadMode mode)
      : process_(process), mode_(mode), first_new_(process.objects_.size()) {}

  struct Mapped {
    std::optional<std::size_t> object;
    LoadRule rule = LoadRule::already_loaded;
    std::string detail;
    std::string place;   // what failed: the file, or the name as asked for
    std::string fault;   // and how
    std::string reason;  // with the system's words, if it is the system that said no
    [[nodiscard]] std::string words() const {
      return place + ": " + fault + (reason.empty() ? "" : ": " + reason);
    }
  };

  /// Who asks for a name: a DT_NEEDED entry (or LD_PRELOAD), dlopen(), dlopen() with RTLD_NOLOAD.
  enum class By : std::uint8_t { need, open, no_load };

  /// Empty `object` and `fault`: not loaded, and RTLD_NOLOAD asks for no more.
  Mapped map(const std::string& name, std::size_t asker, By by) {
    if (const auto known = loaded_under(name)) {
      return {known, LoadRule::already_loaded, {}, {}, {}, {}};
    }
    const auto failed = [&](const Found& found, std::string place, std::string fault,
                            std::string reason) {
      return Mapped{{}, found.rule, {}, std::move(place), std::move(fault), std::move(reason)};
    };
    Found found =
        name.find('/') == std::string::npos ? search(name, asker) : open_path(name, asker);
    if (found.kind == Found::Kind::fatal) {
      return failed(found, found.path, found.fault, found.reason);
    }
    if (found.kind == Found::Kind::nothing) {
      return found.fault.empty() ? failed(found, name, std::string(kCannotOpen), found.reason)
                                 : failed(found, name, found.fault, {});  // another class
    }
    auto& objects = process_.objects_;
    const auto same = std::ranges::find_if(objects, [&](const LinuxObject& object) {
      return object.elf != nullptr && object.identity == found.identity &&
             !found.identity.empty() && object.known_by_file;
    });
    if (same != objects.end()) {
      same->names.push_back(name);
      return {
          static_cast<std::size_t>(same - objects.begin()), found.rule, found.detail, {}, {}, {}};
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
    object.file = absolute(process_.settings_, found.path);
    object.path = std::move(found.path);
    object.identity = std::move(found.identity);
    object.names = {name};
    object.elf = found.elf;
    (by == By::open ? object.opened_by : object.needed_by) = asker;
    object.rule = found.rule;
    object.detail = found.detail;
    objects.push_back(std::move(object));
    return {objects.size() - 1, found.rule, std::move(found.detail), {}, {}, {}};
  }

  /// Loads what `root` and `preloads` need, breadth first. False: something is missing (strict).
  bool map_needs(std::size_t root, const std::vector<std::size_t>& preloads, LinuxOpen& result) {
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
            tokens_of(process_.objects_[asker], process_.settings_, process_.files_)
                .expand(written);
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

  /// The top of the chain of needs that brought `object`: whose search list its lookups see.
  [[nodiscard]] std::size_t root_of(std::size_t object) const {
    while (const auto up = process_.objects_[object].needed_by) {
      object = *up;
    }
    return object;
  }

  void list_new(LinuxOpen& result) const {
    for (std::size_t i = first_new_; i < process_.objects_.size(); ++i) {
      result.loaded.push_back(i);
    }
  }

  [[nodiscard]] std::size_t first_new() const { return first_new_; }

  /// `path` as ld.so opens it.
  Found probe(const std::string& path, LoadRule rule, const std::string& detail) {
    Found found;
    found.rule = rule;
    found.detail = detail;
    found.path = path;
    const auto no_file = [&](std::string_view reason) {
      found.reason = reason;
      found.ends_list = reason != kNoEntry && reason != kDenied;
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
    const std::string file = absolute(process_.settings_, path);
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
          elf.error().code == ErrorCode::truncated ? "cannot read file data" : elf.error().what,
          {});
    }
    found.kind = Found::Kind::file;
    found.elf = *elf;
    found.identity = std::move(entry.identity);
    return found;
  }

 private:
  /// The system's words for a path that leads nowhere.
  [[nodiscard]] std::string_view why_nothing(std::string_view path) const {
    while (path.size() > 1) {
      const std::string_view folder = folder_of(path);
      const EntryKind kind = process_.files_.entry(std::string(folder)).kind;
      if (kind == EntryKind::file) {
        return "Not a directory";
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
  [[nodiscard]] ElfHeaderVerdict header_of(const std::string& file,
                                           const Result<const ElfFile*>& elf) {
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
  [[nodiscard]] std::string refusal(const ElfFile& elf) const {
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

  [[nodiscard]] std::optional<std::size_t> loaded_under(const std::string& name) {
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

  /// A name with a slash is a path, in which $ORIGIN and the like stand for the asker's.
  Found open_path(const std::string& name, std::size_t asker) {
    const auto path =
        tokens_of(process_.objects_[asker], process_.settings_, process_.files_).expand(name);
    Found found;
    found.reason = kNoEntry;
    return path ? probe(*path, LoadRule::given_path, {}) : found;
  }

  Found search(const std::string& name, std::size_t asker) {
    std::string other_class;
    std::string reason(kNoEntry);  // the last
    std::optional<std::size_t> ended;
    for (const LinuxPlace& place : process_.places(asker)) {
      if (place.list == ended) {
        continue;
      }
      Found found = place.rule == LoadRule::cache ? search_cache(name, asker, place)
                                                  : search_folder(name, place);
      if (found.kind != Found::Kind::nothing) {
        return found;
      }
      if (!found.fault.empty()) {
        other_class = found.fault;
      }
      if (!found.reason.empty()) {
        reason = std::move(found.reason);
      }
      if (found.ends_list) {
        ended = place.list;
      }
    }
    Found nothing;
    nothing.fault = std::move(other_class);
    nothing.reason = std::move(reason);
    return nothing;
  }

  Found search_folder(const std::string& name, const LinuxPlace& place) {
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
      if (process_.is_folder(joined(place.folder, level)) && try_in(place.prefix + level + '/')) {
        return last;
      }
    }
    try_in(place.prefix);
    return last;
  }

  Found search_cache(const std::string& name, std::size_t asker, const LinuxPlace& place) {
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

  LinuxProcess& process_;
  LoadMode mode_;
  std::size_t first_new_;
};

LinuxProcess::LinuxProcess(FileView& files, LinuxSettings settings)
    : files_(files), settings_(std::move(settings)) {}

bool LinuxProcess::is_folder(const std::string& path) {
  const auto [known, is_new] = folder_exists_.try_emplace(path, false);
  if (is_new) {
    known->second = files_.entry(path).kind == EntryKind::folder;
  }
  return known->second;
}

std::vector<LinuxPlace> LinuxProcess::places(std::size_t asker) const {
  std::vector<LinuxPlace> places;
  std::size_t lists = 0;
  const auto add = [&](std::string_view list, LoadRule rule, std::size_t owner) {
    ++lists;
    for (LinuxPlace& place : places_of(list, rule, objects_[owner], settings_, files_)) {
      place.list = lists;
      places.push_back(std::move(place));
    }
  };
  const auto add_rpath = [&](std::size_t owner) {
    const ElfFile* elf = objects_[owner].elf;
    if (elf != nullptr && !elf->runpath && elf->rpath) {
      add(*elf->rpath, LoadRule::rpath, owner);
    }
  };
  const ElfFile* elf = objects_[asker].elf;
  if (elf == nullptr || !elf->runpath) {
    bool program_done = false;
    for (std::optional<std::size_t> object = asker; object; object = objects_[*object].needed_by) {
      add_rpath(*object);
      program_done = program_done || *object == 0;
    }
    if (!program_done) {
      add_rpath(0);
    }
  }
  places.insert(places.end(), library_path_.begin(), library_path_.end());
  if (elf != nullptr && elf->runpath) {
    add(*elf->runpath, LoadRule::runpath, asker);
  }
  ++lists;
  places.push_back({LoadRule::cache, {}, {}, std::string(rule_name(LoadRule::cache)), lists});
  ++lists;
  if (elf == nullptr || (elf->flags_1 & kDf1NoDefaultLibraries) == 0) {
    for (const std::string& folder : settings_.default_folders) {
      places.push_back({LoadRule::default_folder, folder, folder + '/',
                        std::string(rule_name(LoadRule::default_folder)), lists});
    }
  }
  return places;
}

LinuxOpen LinuxProcess::start(const std::string& program, LoadMode mode) {
  LinuxOpen result;
  Loading loading(*this, mode);
  const std::string path = absolute(settings_, program);
  const Found found = loading.probe(path, LoadRule::program, {});
  if (found.kind != Found::Kind::file) {
    result.fault = path + ": " +
                   (found.kind == Found::Kind::nothing && found.fault.empty()
                        ? std::string(kCannotOpen) + ": " + found.reason
                        : found.fault);
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
  for (const std::string& name : split(settings_.preload, " :")) {
    preload(name, "LD_PRELOAD");
  }
  for (const std::string& line : split(settings_.preload_file, "\n")) {
    for (const std::string& name : split(line.substr(0, line.find('#')), " \t:")) {
      preload(name, "/etc/ld.so.preload");
    }
  }
  if (!loading.map_needs(0, preloads, result)) {
    objects_.clear();
    return result;
  }
  global_scope_ = objects_[0].search_list;
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
  main.file = absolute(settings_, program);
  main.elf = &kNothing;
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
  const std::size_t before = objects_.size();
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
      if (member >= started_ && !contains(scopes, root)) {
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
      }
    }
  }
  result.object = root;
  loading.list_new(result);
  return result;
}

void LinuxProcess::undo(const LinuxOpen& opened) {
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

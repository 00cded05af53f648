// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Linux process's libraries, as glibc's ld.so would load them: from files alone, nothing is run.
//
// Sources: ld.so(8), dlopen(3), glibc's elf/dl-load.c, dl-deps.c, dl-open.c, and measurement
// against the real ld.so (tools/compare_loader.py).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binary/library_cache.h"
#include "loader/file_view.h"
#include "loader/load_rule.h"

namespace plumb {

/// What ld.so knows before it reads the program.
struct LinuxSettings {
  std::string machine = "x86_64";
  std::string library_path;    // LD_LIBRARY_PATH as it was when the process started
  std::string preload;         // LD_PRELOAD
  std::string preload_file;    // the text of /etc/ld.so.preload
  std::string current_folder;  // what an empty or relative element stands for
  std::vector<CachedLibrary> cache;
  /// Subfolders that this CPU and glibc allow, best first: "glibc-hwcaps/x86-64-v3", "tls/x86_64".
  std::vector<std::string> hwcaps;
  std::vector<std::string> default_folders;  // in ld.so's order, without '/' at the end
  std::string lib;                           // $LIB: "lib/x86_64-linux-gnu", "lib64"
  std::string platform;                      // $PLATFORM: "haswell", "x86_64"
  int glibc_minor = 0;                       // 36 of 2.36; 0 = not known
  std::string loader;                        // ld.so's own path, used where a program names none
};

/// Settings of a usual x86_64 Debian: what tests start from.
[[nodiscard]] LinuxSettings usual_linux_settings();

/// One DT_NEEDED entry of an object.
struct LinuxNeed {
  std::string name;                          // after $ORIGIN and the like
  std::optional<std::size_t> object;         // what it led to
  LoadRule rule = LoadRule::default_folder;  // how, for this need (already_loaded for most)
  std::string detail;                        // "RUNPATH $ORIGIN/../lib of /opt/x/libx.so"
  std::string fault;                         // why it led to nothing, in ld.so's words
};

struct LinuxObject {
  std::string path;                      // as opened; "" for the program, as in ld.so's own list
  std::string file;                      // the same, the program's path too
  std::string identity;                  // FileView's
  std::vector<std::string> names;        // under which it is known to be loaded
  const ElfFile* elf = nullptr;          // null for linux-vdso.so.1
  std::optional<std::size_t> needed_by;  // the object whose need brought it first
  std::optional<std::size_t> opened_by;  // the object whose dlopen() did
  LoadRule rule = LoadRule::program;
  std::string detail;
  std::vector<LinuxNeed> needs;
  bool stand_in = false;           // for an interpreter that cannot be read: see start_unknown()
  bool known_by_file = true;       // a search that ends at this file leads to this object
  std::size_t global_at_load = 0;  // so many of the global scope were there when it was relocated
  bool global = false;             // in the scope that every lookup sees
  bool deep_bind = false;          // sees its own scopes before the global one (RTLD_DEEPBIND)
  /// Objects that this one brought, itself first, breadth first: the scope of a dlopen() of it.
  /// Empty until it is one.
  std::vector<std::size_t> search_list;
  /// Objects whose search_list this object's lookups see, after the global scope, in order.
  std::vector<std::size_t> scopes;
};

/// strict: the first library that is missing fails the whole, as when a program really starts.
/// trace: it is noted and the rest goes on, as for ldd.
enum class LoadMode : std::uint8_t { strict, trace };

struct LinuxOpen {
  std::optional<std::size_t> object;  // empty: it failed and left nothing behind
  std::vector<std::size_t> loaded;    // objects that are new, in ld.so's order
  std::string fault;                  // ld.so's words: "libx.so.1: cannot open shared object ..."
  std::string missing;                // the name that led to nothing
  std::string wanted_by;              // the file that asked for it
  std::vector<std::string> notes;     // preloads that were ignored
  std::vector<std::size_t> made_global;  // objects that were not in the global scope before
};

struct LinuxOpenOptions {
  bool global = false;     // RTLD_GLOBAL
  bool no_load = false;    // RTLD_NOLOAD
  bool deep_bind = false;  // RTLD_DEEPBIND
  std::size_t caller = 0;  // the object that calls dlopen()
  LoadMode mode = LoadMode::strict;
};

/// One folder (or the cache) in the order in which a bare name is looked for.
struct LinuxPlace {
  LoadRule rule = LoadRule::default_folder;
  std::string folder;  // "" for the cache
  std::string prefix;  // what ld.so puts before the name: "/opt/x/lib/", "../lib/", ""
  std::string detail;
};

class LinuxProcess {
 public:
  LinuxProcess(FileView& files, LinuxSettings settings);

  /// Starts `program` (a library too: as `ldd` does). Call once, first; objects()[0] is it.
  LinuxOpen start(const std::string& program, LoadMode mode);

  /// Instead of start(), where the program cannot be read: one at that path that needs nothing and
  /// is taken to have what an interpreter of Python has.
  void start_unknown(const std::string& program);

  /// dlopen(name).
  LinuxOpen open(const std::string& name, const LinuxOpenOptions& options);

  /// Takes back an open() whose symbols turned out to be missing.
  void undo(const LinuxOpen& opened);

  /// In ld.so's order (the order of its link map).
  [[nodiscard]] const std::vector<LinuxObject>& objects() const { return objects_; }
  /// The objects that every lookup sees first, in order.
  [[nodiscard]] const std::vector<std::size_t>& global_scope() const { return global_scope_; }
  /// Where a bare name that `asker` needs is looked for, in order.
  [[nodiscard]] std::vector<LinuxPlace> places(std::size_t asker) const;
  [[nodiscard]] const LinuxSettings& settings() const { return settings_; }
  [[nodiscard]] FileView& files() const { return files_; }

 private:
  struct Found;
  class Loading;
  /// The lists in which a bare name is looked for, in order, until `found` says that it is there.
  void visit_lists(std::size_t asker,
                   const std::function<bool(std::span<const LinuxPlace>)>& found) const;
  [[nodiscard]] bool is_folder(const std::string& path);
  void forget_from(std::size_t first);

  FileView& files_;
  LinuxSettings settings_;
  std::vector<LinuxObject> objects_;
  std::vector<std::size_t> global_scope_;
  std::vector<LinuxPlace> library_path_;  // of LD_LIBRARY_PATH, which counts as it was at the start
  std::vector<LinuxPlace> cache_, default_places_;
  std::map<std::string, bool> folder_exists_;
  std::uint64_t tried_ = 0;  // folders in which names were looked for
  std::size_t started_ =
      0;  // objects that the program's start brought: their scope is the global one
};

}  // namespace plumb

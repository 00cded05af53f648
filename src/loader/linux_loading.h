// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a name becomes a loaded object: linux_process.cc's part that searches. Of LinuxProcess alone.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/elf_header.h"
#include "loader/linux_process.h"

namespace plumb {

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

/// One start() or open(): what it loads.
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
    [[nodiscard]] std::string words() const;
  };

  /// Who asks for a name: a DT_NEEDED entry (or LD_PRELOAD), dlopen(), dlopen() with RTLD_NOLOAD.
  enum class By : std::uint8_t { need, open, no_load };

  /// Empty `object` and `fault`: not loaded, and RTLD_NOLOAD asks for no more.
  [[nodiscard]] Mapped map(const std::string& name, std::size_t asker, By by);

  /// Loads what `root` and `preloads` need, breadth first. False: something is missing (strict).
  [[nodiscard]] bool map_needs(std::size_t root, const std::vector<std::size_t>& preloads,
                               LinuxOpen& result);

  /// `path` as ld.so opens it.
  [[nodiscard]] Found probe(const std::string& path, LoadRule rule, const std::string& detail);

  [[nodiscard]] std::size_t first_new() const { return first_new_; }
  void list_new(LinuxOpen& result) const;

 private:
  [[nodiscard]] std::optional<std::size_t> loaded_under(const std::string& name);
  [[nodiscard]] Found open_path(const std::string& name, std::size_t asker);
  [[nodiscard]] Found search(const std::string& name, std::size_t asker);
  [[nodiscard]] Found search_folder(const std::string& name, const LinuxPlace& place);
  [[nodiscard]] Found search_cache(const std::string& name, std::size_t asker,
                                   const LinuxPlace& place);
  [[nodiscard]] ElfHeaderVerdict header_of(const std::string& file,
                                           const Result<const ElfFile*>& elf) const;
  [[nodiscard]] std::string refusal(const ElfFile& elf) const;
  [[nodiscard]] std::string_view why_nothing(std::string_view path) const;

  LinuxProcess& process_;
  LoadMode mode_;
  std::size_t first_new_;
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// One listing a folder, not a question for each name: a folder may hold thousands of files, but
// listing it is still cheaper than some twenty names asked for one by one on a network disk.
#include "observe/driver_libraries.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "binary/elf.h"
#include "observe/driver_version.h"
#include "observe/host_files.h"
#include "observe/real_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 9> kLibraries = {
    "libcuda",          "libnvidia-ml",    "libnvidia-ptxjitcompiler",
    "libnvcuvid",       "libnvidia-nvvm",  "libnvidia-opencl",
    "libnvidia-encode", "libcudadebugger", "libnvidia-cfg"};
constexpr std::array<std::string_view, 12> kFolders = {"/usr/lib/wsl/lib",
                                                       "/usr/lib/x86_64-linux-gnu",
                                                       "/usr/lib/aarch64-linux-gnu",
                                                       "/usr/lib/x86_64-linux-gnu/nvidia/current",
                                                       "/usr/lib64",
                                                       "/usr/lib64/nvidia",
                                                       "/usr/lib",
                                                       "/usr/local/nvidia/lib64",
                                                       "/usr/local/nvidia/lib",
                                                       "/usr/local/lib",
                                                       "/run/opengl-driver/lib",
                                                       "/.singularity.d/libs"};
constexpr std::size_t kMostFolders = 100;
constexpr std::size_t kMostLibraries = 1000;
constexpr std::size_t kMostDriverMajors = 64;
constexpr std::uint64_t kLargestNote = 64 << 10;
constexpr std::string_view kCompatNote = ".note.cuda.fwd_compatibility";

/// "libcuda.so.1" -> "libcuda"; empty for files that are no such library.
std::string_view library_of(std::string_view name) {
  const std::size_t at = name.find(".so");
  const std::string_view stem = name.substr(0, at);
  const bool whole = at != std::string_view::npos && (at + 3 == name.size() || name[at + 3] == '.');
  return whole && std::ranges::find(kLibraries, stem) != kLibraries.end() ? stem
                                                                          : std::string_view{};
}

bool has_part(std::string_view path, std::string_view part) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::ranges::find(parts, part) != parts.end();
}

class Collector {
 public:
  explicit Collector(const Host& host) : host_(host), files_(host, "linux") {}

  void add_folder(const std::string& folder) {
    const std::string real = real_path(host_.at(folder));
    if (seen_.size() >= kMostFolders || std::ranges::find(seen_, real) != seen_.end()) {
      return;
    }
    seen_.push_back(real);
    // Compat libraries and stubs are told apart from the driver's.
    if (has_part(folder, "compat") || has_part(folder, "stubs")) {
      return;
    }
    std::map<std::string, DriverLibrary> files;              // by name
    std::vector<std::pair<std::string, std::string>> links;  // name, real path it leads to
    for (const DirectoryEntry& entry : entries_of(host_, folder)) {
      const std::string_view library = library_of(entry.name);
      if (library.empty() || files.size() + links.size() >= kMostLibraries) {
        continue;
      }
      const std::string path = folder + "/" + entry.name;
      const std::string target = files_.here(path);  // a mounted system's links lead within it
      const auto status = file_status(target);
      if (entry.kind == FileKind::symlink) {
        if (status && status->kind == FileKind::missing) {
          facts_.broken_links.push_back(path);
        } else {
          links.emplace_back(entry.name, real_path(target));
        }
      } else if (status && status->kind == FileKind::regular) {
        files.emplace(entry.name, DriverLibrary{std::string(library),
                                                path,
                                                {},
                                                version_in_name(entry.name).value_or(""),
                                                status->size});
      }
    }
    for (const auto& [name, target] : links) {
      const auto hit = files.find(base_name(target));
      if (hit != files.end() && parent_path(target) == real) {
        hit->second.names.push_back(name);
      } else if (elsewhere_.size() < kMostLibraries) {
        elsewhere_.emplace_back(folder + "/" + name, target);
      }
    }
    for (auto& [name, library] : files) {
      if (facts_.libraries.size() < kMostLibraries) {
        facts_.libraries.push_back(std::move(library));
      }
    }
  }

  void add_odd_folder(const std::string& folder) {
    for (const auto kind : {OddFolderKind::stubs, OddFolderKind::compat}) {
      if (has_part(folder, kind == OddFolderKind::stubs ? "stubs" : "compat") &&
          (exists(host_, folder + "/libcuda.so") || exists(host_, folder + "/libcuda.so.1"))) {
        facts_.odd_folders.push_back({kind, folder, exists(host_, folder + "/libcuda.so.1")});
      }
    }
  }

  void add_compat_folder(const std::string& folder) {
    const std::string real = real_path(host_.at(folder));
    if (compat_seen_.size() >= kMostFolders ||
        std::ranges::find(compat_seen_, real) != compat_seen_.end()) {
      return;
    }
    compat_seen_.push_back(real);
    for (const DirectoryEntry& entry : entries_of(host_, folder)) {
      const auto version = version_in_name(entry.name);
      if (version && entry.name.starts_with("libcuda.so.") && entry.kind == FileKind::regular &&
          facts_.compat.size() < kMostLibraries) {
        facts_.compat.push_back(read_compat(folder + "/" + entry.name, *version));
      }
    }
  }

  [[nodiscard]] DriverLibraries take() {
    for (const auto& [link, target] : elsewhere_) {
      add_elsewhere(link, target);
    }
    return std::move(facts_);
  }

 private:
  /// A link that leads to another folder: Debian's alternatives, NixOS' store. Those of a mounted
  /// system lead into this one and say nothing.
  void add_elsewhere(const std::string& link, const std::string& target) {
    const std::string name = base_name(target);
    const std::string_view library = library_of(name);
    if (!host_.root.empty() || library.empty() || facts_.libraries.size() >= kMostLibraries) {
      return;
    }
    const auto hit = std::ranges::find(facts_.libraries, target, &DriverLibrary::path);
    if (hit != facts_.libraries.end()) {
      hit->names.push_back(link);
      return;
    }
    facts_.libraries.push_back({std::string(library),
                                target,
                                {link},
                                version_in_name(target).value_or(""),
                                file_status(target).value_or(FileStatus{}).size});
  }

  CompatLibrary read_compat(const std::string& path, const std::string& version) const {
    CompatLibrary library{path, version, Fact<std::string>::absent(path), {}, {}};
    const auto source = open_file(host_.at(path));
    const auto note =
        source ? read_compat_note(**source) : Result<std::string>(std::unexpected(source.error()));
    if (note) {
      library.note = Fact<std::string>::present(*note, path);
      parse_compat_note(*note, library);
    } else {
      library.note = fact_of_error<std::string>(note.error(), path);
    }
    return library;
  }

  const Host& host_;
  RealFiles files_;
  std::vector<std::string> seen_;
  std::vector<std::string> compat_seen_;
  std::vector<std::pair<std::string, std::string>> elsewhere_;  // link, real path it leads to
  DriverLibraries facts_;
};

}  // namespace

Result<std::string> read_compat_note(const Source& source) {
  PLUMB_ASSIGN(const ElfFile elf, read_elf(source, {}));
  const ElfSection* section = elf.find_section(kCompatNote);
  if (section == nullptr || !section->in_file()) {
    return fail(ErrorCode::not_found, "has no section " + std::string(kCompatNote));
  }
  PLUMB_ASSIGN(const std::vector<std::byte> bytes,
               read_range(source, section->offset, section->size, kLargestNote));
  // Lengths of name and text, a type, then both, each filled up to four bytes (gABI, "Note
  // Section").
  constexpr std::size_t kHeader = 12;
  if (elf.big_endian || bytes.size() < kHeader) {
    return fail(ErrorCode::malformed, "the note on forward compatibility is damaged");
  }
  const std::uint64_t name_size = load_le<std::uint32_t>(bytes, 0);
  const std::uint64_t text_size = load_le<std::uint32_t>(bytes, 4);
  const std::uint64_t text_at = kHeader + (name_size + 3) / 4 * 4;
  if (!fits(text_at, text_size, bytes.size())) {
    return fail(ErrorCode::malformed, "the note on forward compatibility is damaged");
  }
  const std::string_view text =
      as_text(bytes).substr(static_cast<std::size_t>(text_at), static_cast<std::size_t>(text_size));
  return std::string(text.substr(0, text.find('\0')));
}

void parse_compat_note(std::string_view json, CompatLibrary& library) {
  const nlohmann::json note = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!note.is_object()) {
    return;
  }
  if (const auto cuda = note.find("CUDA version"); cuda != note.end() && cuda->is_string()) {
    library.cuda = cuda->get<std::string>();
  }
  if (const auto majors = note.find("driver"); majors != note.end() && majors->is_array()) {
    for (const nlohmann::json& major : *majors) {
      if (major.is_number_unsigned() && major.get<std::uint64_t>() < 100'000 &&
          library.driver_majors.size() < kMostDriverMajors) {
        library.driver_majors.push_back(major.get<std::uint32_t>());
      }
    }
  }
}

DriverLibraries observe_driver_libraries(const Host& host,
                                         const std::vector<CachedLibrary>& cache) {
  Collector collector(host);
  const std::string search_path = host.set_variable("LD_LIBRARY_PATH").value_or("");
  for (const std::string_view part : split(search_path, ':')) {
    if (!part.starts_with('/')) {
      continue;
    }
    std::string folder(part);
    while (folder.size() > 1 && folder.ends_with('/')) {
      folder.pop_back();
    }
    collector.add_folder(folder);
    collector.add_odd_folder(folder);
    if (has_part(folder, "compat")) {
      collector.add_compat_folder(folder);
    }
  }
  for (const std::string_view folder : kFolders) {
    collector.add_folder(std::string(folder));
  }
  for (const std::string_view library : kLibraries) {
    const std::string path = find_in_cache(cache, std::string(library) + ".so.1");
    if (!path.empty()) {
      collector.add_folder(std::string(parent_path(path)));
    }
  }
  for (const DirectoryEntry& entry : entries_of(host, "/usr/local")) {
    if (entry.name.starts_with("cuda")) {
      collector.add_compat_folder("/usr/local/" + entry.name + "/compat");
    }
  }
  return collector.take();
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/host_compilers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "observe/visual_studio.h"

namespace plumb {
namespace {

constexpr std::size_t kMostCompilers = 64;
constexpr std::size_t kMostPathEntries = 4096;

struct CompilerName {
  CompilerKind kind = CompilerKind::gcc;
  bool cxx = false;
  std::string version;  // "12"; "" = not in the name
};

/// "gcc", "g++-12", "x86_64-linux-gnu-g++-12", "clang++-18"; empty for "gcc-ar" and the like, and
/// for compilers of other machines.
std::optional<CompilerName> parse_compiler_name(std::string_view name, std::string_view machine) {
  for (const char* system : {"-linux-gnu-", "-redhat-linux-", "-pc-linux-gnu-", "-suse-linux-"}) {
    const std::string prefix = std::string(machine) + system;
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
    }
  }
  constexpr std::array kNames = {
      std::pair{std::string_view("gcc"), std::pair{CompilerKind::gcc, false}},
      std::pair{std::string_view("g++"), std::pair{CompilerKind::gcc, true}},
      std::pair{std::string_view("clang++"), std::pair{CompilerKind::clang, true}},
      std::pair{std::string_view("clang"), std::pair{CompilerKind::clang, false}}};
  for (const auto& [word, what] : kNames) {
    if (!name.starts_with(word)) {
      continue;
    }
    std::string_view rest = name.substr(word.size());
    if (rest.empty()) {
      return CompilerName{what.first, what.second, {}};
    }
    if (rest.starts_with('-') && Version::parse(rest.substr(1))) {
      return CompilerName{what.first, what.second, std::string(rest.substr(1))};
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// The folder's names that are versions: of /usr/lib/gcc/x86_64-linux-gnu "12", "13".
std::vector<std::string> versions_in(CudaFiles& files, const std::string& folder) {
  std::vector<std::string> versions;
  for (const DirectoryEntry& entry : files.list(folder)) {
    if (Version::parse(entry.name)) {
      versions.push_back(entry.name);
    }
  }
  return versions;
}

class LinuxFinder {
 public:
  explicit LinuxFinder(CudaFiles& files) : files_(files) {}

  void add_folder(const std::string& folder) {
    for (const DirectoryEntry& entry : files_.list(folder)) {
      const auto name = parse_compiler_name(entry.name, files_.host().machine);
      if (name && entry.kind != FileKind::directory) {
        add(files_.join(folder, entry.name), *name);
      }
    }
  }

  /// What a bare name starts; it may lie elsewhere than in /usr/bin.
  void mark_first_on_path() {
    const auto folders = files_.path_list("PATH", kMostPathEntries);
    for (const char* name : {"gcc", "g++", "clang", "clang++"}) {
      for (const std::string& folder : folders) {
        const std::string path = files_.join(folder, name);
        if (files_.is_file(path)) {
          if (HostCompiler* compiler =
                  add(path, *parse_compiler_name(name, files_.host().machine))) {
            compiler->first_on_path = true;
          }
          break;
        }
      }
    }
  }

  [[nodiscard]] std::vector<HostCompiler> take() { return std::move(found_); }

 private:
  HostCompiler* add(const std::string& path, const CompilerName& name) {
    if (!files_.is_file(path)) {
      return nullptr;  // a link that leads nowhere
    }
    // clang and clang++ are one file that goes by its name.
    const std::string key = files_.identity(path) + (name.cxx ? "+" : "-");
    if (const auto known = by_identity_.find(key); known != by_identity_.end()) {
      HostCompiler& compiler = found_[known->second];
      if (std::ranges::find(compiler.names, path) == compiler.names.end()) {
        compiler.names.push_back(path);
      }
      if (!compiler.version && !name.version.empty()) {
        compiler.version = Fact<std::string>::present(name.version, path);
      }
      return &compiler;
    }
    if (found_.size() >= kMostCompilers) {
      return nullptr;
    }
    HostCompiler compiler;
    compiler.kind = name.kind;
    compiler.path = files_.real(path);
    compiler.names = {path};
    compiler.cxx = name.cxx;
    compiler.version = version_of(path, compiler.path, name);
    by_identity_.emplace(key, found_.size());
    found_.push_back(std::move(compiler));
    return &found_.back();
  }

  Fact<std::string> version_of(const std::string& path, const std::string& real,
                               const CompilerName& name) {
    if (!name.version.empty()) {
      return Fact<std::string>::present(name.version, path);
    }
    const auto real_name = parse_compiler_name(base_name(real), files_.host().machine);
    if (real_name && !real_name->version.empty()) {
      return Fact<std::string>::present(real_name->version, real);
    }
    if (name.kind == CompilerKind::clang) {  // /usr/lib/llvm-18/bin/clang
      const std::size_t at = real.find("/llvm-");
      const std::string after = at == std::string::npos ? std::string{} : real.substr(at + 6);
      const std::string version = after.substr(0, after.find('/'));
      if (Version::parse(version)) {
        return Fact<std::string>::present(version, real);
      }
    }
    return version_of_own_folder(real, name.kind);
  }

  /// <prefix>/bin/gcc has its own parts in <prefix>/lib/gcc/<machine>/<version>; with several
  /// versions there nothing can be said.
  Fact<std::string> version_of_own_folder(const std::string& real, CompilerKind kind) {
    const std::string prefix = files_.parent(files_.parent(real));
    std::vector<std::pair<std::string, std::string>> found;  // version, folder
    for (const char* lib : {"lib", "lib64"}) {
      const std::string all =
          files_.join(prefix, std::string(lib) + (kind == CompilerKind::gcc ? "/gcc" : "/clang"));
      std::vector<std::string> folders = {all};
      if (kind == CompilerKind::gcc) {
        folders.clear();
        for (const DirectoryEntry& entry : files_.list(all)) {
          if (entry.name.starts_with(files_.host().machine) &&
              entry.name.find("-linux") != std::string::npos) {
            folders.push_back(files_.join(all, entry.name));
          }
        }
      }
      for (const std::string& folder : folders) {
        for (const std::string& version : versions_in(files_, folder)) {
          found.emplace_back(version, files_.join(folder, version));
        }
      }
    }
    const bool one = !found.empty() && std::ranges::all_of(found, [&](const auto& item) {
      return item.first == found.front().first;
    });
    return one ? Fact<std::string>::present(found.front().first, found.front().second)
               : Fact<std::string>::absent(real);
  }

  CudaFiles& files_;
  std::vector<HostCompiler> found_;
  std::map<std::string, std::size_t> by_identity_;
};

void mark_first_cl(CudaFiles& files, HostCompilers& all) {
  for (const std::string& folder : files.path_list("PATH", kMostPathEntries)) {
    const std::string path = files.join(folder, "cl.exe");
    if (!files.is_file(path)) {
      continue;
    }
    const std::string identity = files.identity(path);
    for (HostCompiler& compiler : all.compilers) {
      compiler.first_on_path = files.identity(compiler.path) == identity;
    }
    return;
  }
}

Acceptance compare(std::uint64_t number, std::uint64_t least, std::uint64_t below) {
  return number < least    ? Acceptance::too_old
         : number >= below ? Acceptance::too_new
                           : Acceptance::accepted;
}

}  // namespace

std::uint64_t msc_ver_of_toolset(std::string_view toolset) {
  const auto version = Version::parse(toolset);
  return version && version->major() == 14 && version->minor() < 100 ? 1900 + version->minor() : 0;
}

HostCompilers observe_host_compilers(CudaFiles& files) {
  HostCompilers all;
  for (const char* name :
       {"CC", "CXX", "CUDAHOSTCXX", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    if (auto value = files.host().set_variable(name)) {
      all.variables.push_back({name, std::move(*value)});
    }
  }
  if (files.windows()) {
    observe_visual_studio(files, all);
    mark_first_cl(files, all);
    return all;
  }
  LinuxFinder finder(files);
  finder.add_folder("/usr/bin");
  finder.add_folder("/usr/local/bin");
  finder.mark_first_on_path();
  all.compilers = finder.take();
  return all;
}

std::vector<HostCompilerVerdict> judge_compilers(const HostCompilerLimits& limits,
                                                 const HostCompilers& all) {
  std::vector<HostCompilerVerdict> verdicts;
  for (const HostCompiler& compiler : all.compilers) {
    if (std::ranges::find(verdicts, compiler.path, &HostCompilerVerdict::compiler) !=
        verdicts.end()) {
      continue;  // clang and clang++ are one file
    }
    const std::string version = compiler.version.value.value_or("");
    const auto parsed = Version::parse(version);
    HostCompilerVerdict verdict{compiler.path, Acceptance::unknown};
    if (compiler.kind == CompilerKind::msvc && limits.msc_below != 0) {
      if (const std::uint64_t number = msc_ver_of_toolset(version)) {
        verdict.acceptance = compare(number, limits.msc_least, limits.msc_below);
      }
    } else if (compiler.kind == CompilerKind::gcc && limits.gcc_most != 0 && parsed) {
      verdict.acceptance = compare(parsed->major(), 0, limits.gcc_most + 1);
    } else if (compiler.kind == CompilerKind::clang && limits.clang_below != 0 && parsed) {
      verdict.acceptance = compare(parsed->major(), 0, limits.clang_below);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace plumb

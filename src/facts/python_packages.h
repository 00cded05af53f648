// SPDX-License-Identifier: Apache-2.0
#pragma once
// The packages of the environment in force in detail, and what else is on the way of an import. The
// whole list of names and versions is Distribution of facts/machine.h. Paths are as opened.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "facts/fact.h"
#include "facts/fields.h"
#include "facts/python_world.h"

namespace plumb {

/// direct_url.json: installed from an address or folder, not from an index.
struct InstallOrigin {
  std::string url;       // without credentials
  std::string kind;      // "archive", "vcs", "folder"; "" = not told
  std::string revision;  // vcs: the commit
  bool editable = false;
};
void fields(auto& visit, Is<InstallOrigin> auto& x) {
  visit("url", x.url);
  visit("kind", x.kind);
  visit("revision", x.revision);
  visit("editable", x.editable);
}

/// RECORD against the disk, by names alone. Compiled files (.pyc) do not count: they come and go.
struct RecordCheck {
  std::uint32_t files = 0;       // rows looked at
  std::uint32_t missing = 0;     // of those
  std::uint32_t unreadable = 0;  // in folders that cannot be read
  std::uint32_t outside = 0;     // rows that lead out of the environment: not looked at
  std::vector<std::string> missing_examples;  // at most 5, as RECORD writes them
};
void fields(auto& visit, Is<RecordCheck> auto& x) {
  visit("files", x.files);
  visit("missing", x.missing);
  visit("unreadable", x.unreadable);
  visit("outside", x.outside);
  visit("missing_examples", x.missing_examples);
}

/// A package that matters: of the GPU, numpy, pip, setuptools, uv, wheel, or one that requires GPU
/// packages or numpy.
struct PackageDetail {
  std::string name;  // normalised
  std::string site;
  std::string info;            // its *.dist-info or *.egg-info, below `site`
  std::string folder_version;  // by that folder's name; "" = not in it
  Fact<std::string> version;   // METADATA's own word
  /// The package's own version file, which tells the build: "2.11.0+cu130"; absent for packages
  /// that have none plumb knows.
  Fact<std::string> built_version;
  Fact<std::string> built_cuda;         // by that file: "13.0"
  std::string built_for;                // by that file, for other GPUs: "ROCm 6.4"
  Fact<std::string> installer;          // "pip", "uv", "conda"
  Fact<InstallOrigin> direct_url;       // absent: from an index
  Fact<std::vector<std::string>> tags;  // WHEEL: "cp312-cp312-manylinux_2_28_x86_64"
  bool editable = false;                // by direct_url.json, __editable__* or an egg-link
  Fact<RecordCheck> record;             // absent: no RECORD (conda, Debian), or past the limit
};
void fields(auto& visit, Is<PackageDetail> auto& x) {
  visit("name", x.name);
  visit("site", x.site);
  visit("info", x.info);
  visit("folder_version", x.folder_version);
  visit("version", x.version);
  visit("built_version", x.built_version);
  visit("built_cuda", x.built_cuda);
  visit("built_for", x.built_for);
  visit("installer", x.installer);
  visit("direct_url", x.direct_url);
  visit("tags", x.tags);
  visit("editable", x.editable);
  visit("record", x.record);
}

enum class MetadataFaultKind : std::uint8_t {
  unreadable,       // not there, no permission
  not_utf8,         // importlib.metadata stops with UnicodeDecodeError, also for the body
  byte_order_mark,  // ends the headers for importlib.metadata: no name, no version
  broken_header,    // a line without ':' ends the headers
  no_name_or_version,
  other_name,     // than the folder's
  other_version,  // than the folder's
};
constexpr auto enum_names(MetadataFaultKind) {
  return std::to_array<std::string_view>({"unreadable", "not-utf8", "byte-order-mark",
                                          "broken-header", "no-name-or-version", "other-name",
                                          "other-version"});
}

struct MetadataFault {
  MetadataFaultKind kind = MetadataFaultKind::unreadable;
  std::string package;  // normalised
  std::string path;     // of METADATA or PKG-INFO
  std::string told;     // other_*: METADATA's word
};
void fields(auto& visit, Is<MetadataFault> auto& x) {
  visit("kind", x.kind);
  visit("package", x.package);
  visit("path", x.path);
  visit("told", x.told);
}

/// Installed side by side though they are builds of one thing. Not always a fault: tensorflow for
/// Windows up to 2.15 requires tensorflow-intel.
struct VariantGroup {
  std::string family;                    // "onnxruntime", "cupy", "nvidia-cublas"
  std::vector<ProjectVersion> packages;  // two or more
};
void fields(auto& visit, Is<VariantGroup> auto& x) {
  visit("family", x.family);
  visit("packages", x.packages);
}

/// Several *.dist-info of one project in one folder: an old one was not removed.
struct DuplicateInfo {
  std::string name;
  std::string site;
  std::vector<std::string> infos;
};
void fields(auto& visit, Is<DuplicateInfo> auto& x) {
  visit("name", x.name);
  visit("site", x.site);
  visit("infos", x.infos);
}

/// Of conda's and pip's books on one project, where they differ.
struct CondaTwin {
  std::string name;  // the project, normalised
  std::string conda_name;
  std::string conda_version;
  std::string conda_build;
  std::string version;    // of its dist-info
  std::string installer;  // of its dist-info; "" = not told
};
void fields(auto& visit, Is<CondaTwin> auto& x) {
  visit("name", x.name);
  visit("conda_name", x.conda_name);
  visit("conda_version", x.conda_version);
  visit("conda_build", x.conda_build);
  visit("version", x.version);
  visit("installer", x.installer);
}

/// A GPU project that lies in two folders of sys.path: the first counts.
struct ShadowedProject {
  std::string name;
  std::string site;
  std::string version;
  std::string hidden_site;
  std::string hidden_version;
};
void fields(auto& visit, Is<ShadowedProject> auto& x) {
  visit("name", x.name);
  visit("site", x.site);
  visit("version", x.version);
  visit("hidden_site", x.hidden_site);
  visit("hidden_version", x.hidden_version);
}

struct UserSite {
  Fact<std::string> folder;  // absent: it is not there
  bool in_use = false;       // on sys.path
  std::string off_by;        // "pyvenv.cfg", "PYTHONNOUSERSITE"; "" = nothing turns it off
  std::vector<ProjectVersion> gpu_projects;
};
void fields(auto& visit, Is<UserSite> auto& x) {
  visit("folder", x.folder);
  visit("in_use", x.in_use);
  visit("off_by", x.off_by);
  visit("gpu_projects", x.gpu_projects);
}

/// An entry of PYTHONPATH.
struct PythonPathEntry {
  std::string path;  // as written
  bool exists = false;
  std::vector<ProjectVersion> gpu_projects;
};
void fields(auto& visit, Is<PythonPathEntry> auto& x) {
  visit("path", x.path);
  visit("exists", x.exists);
  visit("gpu_projects", x.gpu_projects);
}

struct PthFile {
  std::string path;
  std::uint32_t code_lines = 0;      // "import ...": run at every start of Python
  std::string first_code;            // at most 200 bytes
  std::vector<std::string> missing;  // folders that it names and that are not there, at most 20
  std::optional<Error> fault;        // not UTF-8, a byte order mark, not readable
};
void fields(auto& visit, Is<PthFile> auto& x) {
  visit("path", x.path);
  visit("code_lines", x.code_lines);
  visit("first_code", x.first_code);
  visit("missing", x.missing);
  visit("fault", x.fault);
}

/// A module that an import finds before the installed one: in the current folder or PYTHONPATH.
struct ShadowingModule {
  std::string module;  // "torch", "random"
  std::string path;
  bool standard_library = false;  // it hides a module of Python itself
  bool source_checkout = false;   // a package beside setup.py or pyproject.toml
  std::string origin;             // "current folder", "PYTHONPATH"
};
void fields(auto& visit, Is<ShadowingModule> auto& x) {
  visit("module", x.module);
  visit("path", x.path);
  visit("standard_library", x.standard_library);
  visit("source_checkout", x.source_checkout);
  visit("origin", x.origin);
}

struct OddPath {
  std::string path;
  std::string what;  // "environment", "interpreter", "site-packages", "current folder"
  bool non_ascii = false;
  bool blanks = false;
};
void fields(auto& visit, Is<OddPath> auto& x) {
  visit("path", x.path);
  visit("what", x.what);
  visit("non_ascii", x.non_ascii);
  visit("blanks", x.blanks);
}

struct PackageDetails {
  std::vector<PackageDetail> packages;  // sorted by name
  std::vector<MetadataFault> metadata_faults;
  std::vector<VariantGroup> variants;
  std::vector<DuplicateInfo> duplicates;
  std::vector<std::string> leftovers;  // paths of "~orch", "~umpy-1.26.4.dist-info"
  std::vector<CondaTwin> conda_twins;
  std::vector<ShadowedProject> shadowed;
  UserSite user_site;
  std::vector<PythonPathEntry> python_path;
  Fact<std::string> python_home;  // PYTHONHOME
  bool safe_path = false;         // PYTHONSAFEPATH: the current folder is not on sys.path
  std::vector<PthFile> pth_files;
  std::vector<ShadowingModule> shadowing_modules;
  std::vector<OddPath> odd_paths;
  std::uint32_t long_paths = 0;  // Windows: files of RECORD whose path has 260 characters or more
  std::string longest_path;      // Windows: the longest of those
  bool records_cut = false;      // more files than plumb looks for: later packages were left out
  std::vector<Error> errors;
};
void fields(auto& visit, Is<PackageDetails> auto& x) {
  visit("packages", x.packages);
  visit("metadata_faults", x.metadata_faults);
  visit("variants", x.variants);
  visit("duplicates", x.duplicates);
  visit("leftovers", x.leftovers);
  visit("conda_twins", x.conda_twins);
  visit("shadowed", x.shadowed);
  visit("user_site", x.user_site);
  visit("python_path", x.python_path);
  visit("python_home", x.python_home);
  visit("safe_path", x.safe_path);
  visit("pth_files", x.pth_files);
  visit("shadowing_modules", x.shadowing_modules);
  visit("odd_paths", x.odd_paths);
  visit("long_paths", x.long_paths);
  visit("longest_path", x.longest_path);
  visit("records_cut", x.records_cut);
  visit("errors", x.errors);
}

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of CUDA is installed besides the driver: toolkits, copies of NVIDIA's libraries, headers and
// the compilers that nvcc works with. All paths are those of the machine looked at
// ("/usr/local/cuda-13.0", "C:\\Program Files\\..."). Read from files and the registry alone.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "facts/fact.h"
#include "facts/fields.h"
#include "facts/host_compilers.h"

namespace plumb {

/// How a toolkit lies on the disk. `nvidia`: one folder with bin, include and lib64 (packages,
/// .run, Windows' installer, Arch's /opt/cuda). `debian`: spread over /usr (nvidia-cuda-toolkit).
enum class ToolkitLayout : std::uint8_t { nvidia, debian, conda, wheel, hpc_sdk, easybuild, store };
constexpr auto enum_names(ToolkitLayout) {
  return std::to_array<std::string_view>(
      {"nvidia", "debian", "conda", "wheel", "hpc_sdk", "easybuild", "store"});
}

/// Where a toolkit's version stands, in order of trust.
enum class ToolkitVersionSource : std::uint8_t {
  cuda_header,        // include/cuda.h: CUDA_VERSION
  runtime_header,     // include/cuda_runtime_api.h: CUDART_VERSION
  version_json,       // version.json: "cuda"
  version_json_nvcc,  // version.json: "cuda_nvcc"
  version_txt,        // version.txt, up to 11.0
  nvcc,               // the program's own text
  cudart_library,     // libcudart.so.13.0.96, cudart64_13.dll
  folder_name,        // cuda-13.0, v13.0
};
constexpr auto enum_names(ToolkitVersionSource) {
  return std::to_array<std::string_view>({"cuda_header", "runtime_header", "version_json",
                                          "version_json_nvcc", "version_txt", "nvcc",
                                          "cudart_library", "folder_name"});
}

struct ToolkitVersionNote {
  ToolkitVersionSource source = ToolkitVersionSource::cuda_header;
  Fact<std::string> version;  // as it stands there: "13.0", "13.0.88", "11.8.20220929"
};
void fields(auto& visit, Is<ToolkitVersionNote> auto& note) {
  visit("source", note.source);
  visit("version", note.version);
}

enum class PointerKind : std::uint8_t {
  variable,          // of this process
  machine_variable,  // Windows' registry: what new programs get
  user_variable,     // Windows' registry, of this user
  registry,          // NVIDIA's installer: ...\GPU Computing Toolkit\CUDA\vX.Y InstallDir
};
constexpr auto enum_names(PointerKind) {
  return std::to_array<std::string_view>(
      {"variable", "machine_variable", "user_variable", "registry"});
}

enum class PointerState : std::uint8_t {
  toolkit,
  no_toolkit,  // the folder is there, but holds no toolkit
  missing,     // no such folder: stale
  no_folder,   // it names a file, or cannot be read
};
constexpr auto enum_names(PointerState) {
  return std::to_array<std::string_view>({"toolkit", "no_toolkit", "missing", "no_folder"});
}

/// What names a toolkit: CUDA_PATH, CUDA_PATH_V12_8, CUDA_HOME, CUDA_ROOT, CUDA_TOOLKIT_ROOT,
/// CUDAToolkit_ROOT, EBROOTCUDA or a key of the registry.
struct ToolkitPointer {
  PointerKind kind = PointerKind::variable;
  std::string name;   // "CUDA_PATH"; of the registry: the key
  std::string value;  // as written, variables expanded
  PointerState state = PointerState::missing;
  std::string toolkit;  // CudaToolkit::path; "" unless state is toolkit
};
void fields(auto& visit, Is<ToolkitPointer> auto& pointer) {
  visit("kind", pointer.kind);
  visit("name", pointer.name);
  visit("value", pointer.value);
  visit("state", pointer.state);
  visit("toolkit", pointer.toolkit);
}

struct CudaToolkit {
  std::string path;    // the real folder, links resolved; "/usr" for layout debian
  std::string origin;  // what led here first: "CUDA_PATH", "/usr/local/cuda-13.0", a registry key
  ToolkitLayout layout = ToolkitLayout::nvidia;
  std::vector<std::string> names;            // other paths that lead here: "/usr/local/cuda"
  std::string version;                       // major.minor to state: "13.0"; "" = could not be told
  std::vector<ToolkitVersionNote> versions;  // every source that is there
  bool agree = true;                         // all of them name one major.minor
  std::string nvcc;                          // the program's path; "" = none
  bool headers = false;                      // cuda_runtime_api.h
  bool cudart = false;                       // a runtime library to load
  bool libdevice = false;                    // needed by compilers of device code (JAX, Triton)
  std::vector<std::string> include_folders;
  std::vector<std::string> library_folders;
  Fact<HostCompilerLimits> limits;            // its own include/crt/host_config.h
  std::vector<HostCompilerVerdict> verdicts;  // one for each compiler found and named by limits
};
void fields(auto& visit, Is<CudaToolkit> auto& toolkit) {
  visit("path", toolkit.path);
  visit("origin", toolkit.origin);
  visit("layout", toolkit.layout);
  visit("names", toolkit.names);
  visit("version", toolkit.version);
  visit("versions", toolkit.versions);
  visit("agree", toolkit.agree);
  visit("nvcc", toolkit.nvcc);
  visit("headers", toolkit.headers);
  visit("cudart", toolkit.cudart);
  visit("libdevice", toolkit.libdevice);
  visit("include_folders", toolkit.include_folders);
  visit("library_folders", toolkit.library_folders);
  visit("limits", toolkit.limits);
  visit("verdicts", toolkit.verdicts);
}

/// A choice of update-alternatives(1).
struct CudaAlternative {
  std::string path;
  std::uint64_t priority = 0;
};
void fields(auto& visit, Is<CudaAlternative> auto& choice) {
  visit("path", choice.path);
  visit("priority", choice.priority);
}

struct CudaToolkits {
  std::vector<CudaToolkit> toolkits;  // each real folder once; newest first
  std::vector<ToolkitPointer> pointers;
  Fact<std::string> nvcc_on_path;  // the first on PATH
  std::string nvcc_toolkit;        // the toolkit that it belongs to; "" = none found
  Fact<std::string> alternatives;  // "auto", or "manual" = pinned by somebody
  std::vector<CudaAlternative> choices;
};
void fields(auto& visit, Is<CudaToolkits> auto& all) {
  visit("toolkits", all.toolkits);
  visit("pointers", all.pointers);
  visit("nvcc_on_path", all.nvcc_on_path);
  visit("nvcc_toolkit", all.nvcc_toolkit);
  visit("alternatives", all.alternatives);
  visit("choices", all.choices);
}

enum class LibraryPlace : std::uint8_t {
  path,             // Windows: a folder of PATH
  library_path,     // LD_LIBRARY_PATH
  cache,            // ld.so.cache
  default_folder,   // /usr/lib64 and the like
  system,           // System32
  toolkit,          // a toolkit's library folder
  wheel,            // site-packages: nvidia/*/lib, torch/lib, tensorrt_libs ...
  conda,            // PREFIX/lib, PREFIX\Library\bin
  cudnn_installer,  // %ProgramFiles%\NVIDIA\CUDNN
};
constexpr auto enum_names(LibraryPlace) {
  return std::to_array<std::string_view>({"path", "library_path", "cache", "default_folder",
                                          "system", "toolkit", "wheel", "conda",
                                          "cudnn_installer"});
}

/// One name under which a library was found.
struct LibrarySighting {
  std::string path;
  LibraryPlace place = LibraryPlace::path;
};
void fields(auto& visit, Is<LibrarySighting> auto& sighting) {
  visit("path", sighting.path);
  visit("place", sighting.place);
}

/// One real file.
struct CudaLibraryCopy {
  std::string path;           // links resolved
  std::string family;         // library_stem(): "cudart", "cublaslt", "cudnn_ops", "zlibwapi"
  std::string name;           // SONAME or DLL name if the header was read, else the file's name
  Fact<std::string> version;  // "13.0.96", "9.19.0"; absent where nothing cheap says
  std::string machine;        // "x86_64", "i386", "aarch64"; "" = header not read
  bool stub = false;          // in a folder "stubs": for linking only
  std::vector<LibrarySighting> sightings;  // in search order, at most 64
};
void fields(auto& visit, Is<CudaLibraryCopy> auto& copy) {
  visit("path", copy.path);
  visit("family", copy.family);
  visit("name", copy.name);
  visit("version", copy.version);
  visit("machine", copy.machine);
  visit("stub", copy.stub);
  visit("sightings", copy.sightings);
}

enum class HeaderFamily : std::uint8_t { cudnn, nccl, tensorrt };
constexpr auto enum_names(HeaderFamily) {
  return std::to_array<std::string_view>({"cudnn", "nccl", "tensorrt"});
}

/// cudnn_version.h (cudnn.h up to 7), nccl.h, NvInferVersion.h. A header without a library is
/// usual.
struct LibraryHeader {
  HeaderFamily family = HeaderFamily::cudnn;
  std::string path;
  Fact<std::string> version;  // "9.14.0"
};
void fields(auto& visit, Is<LibraryHeader> auto& header) {
  visit("family", header.family);
  visit("path", header.path);
  visit("version", header.version);
}

struct CudnnPart {
  std::string name;           // family: "cudnn", "cudnn_ops"
  std::string path;           // in this set's folder
  Fact<std::string> version;  // as CudaLibraryCopy::version
};
void fields(auto& visit, Is<CudnnPart> auto& part) {
  visit("name", part.name);
  visit("path", part.path);
  visit("version", part.version);
}

/// cuDNN's libraries of one major version in one folder.
struct CudnnSet {
  std::string folder;
  std::string origin;  // enum_names(LibraryPlace)
  std::uint32_t major = 0;
  std::vector<CudnnPart> parts;
  std::vector<std::string> missing;  // of the parts that NVIDIA ships for this major version
  std::string version;               // "9.14.0": the main library's, else the first part's
  bool agree = true;                 // all parts whose version is known are of one version
  Fact<std::string> header;          // version of the header beside it; origin = its path
  bool header_agrees = true;         // false: another version than the library's
};
void fields(auto& visit, Is<CudnnSet> auto& set) {
  visit("folder", set.folder);
  visit("origin", set.origin);
  visit("major", set.major);
  visit("parts", set.parts);
  visit("missing", set.missing);
  visit("version", set.version);
  visit("agree", set.agree);
  visit("header", set.header);
  visit("header_agrees", set.header_agrees);
}

struct CudaSoftware {
  CudaToolkits cuda;
  std::vector<CudaLibraryCopy> libraries;
  std::vector<CudnnSet> cudnn;
  std::vector<LibraryHeader> headers;
  HostCompilers compilers;
  std::uint64_t folders_listed = 0;  // for libraries
  std::vector<Error> errors;         // limits that were reached, folders that could not be read
};
void fields(auto& visit, Is<CudaSoftware> auto& software) {
  visit("cuda", software.cuda);
  visit("libraries", software.libraries);
  visit("cudnn", software.cudnn);
  visit("headers", software.headers);
  visit("compilers", software.compilers);
  visit("folders_listed", software.folders_listed);
  visit("errors", software.errors);
}

}  // namespace plumb

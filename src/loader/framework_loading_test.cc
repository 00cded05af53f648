// SPDX-License-Identifier: Apache-2.0
#include "loader/framework_loading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "loader/fake_files_test.h"
#include "loader/python_finder.h"

namespace plumb {
namespace {

using test::ElfSpec;
using test::FakeFiles;
using test::FakeSystem;

constexpr const char* kSite = "/v/lib/python3.12/site-packages/";
constexpr const char* kTag = ".cpython-312-x86_64-linux-gnu.so";

FrameworkToLoad made(const std::string& name, const std::string& version,
                     const std::string& cuda = {}, const std::vector<std::string>& modules = {}) {
  FrameworkToLoad framework;
  framework.name = name;
  framework.version = version;
  framework.cuda = cuda;
  framework.modules = modules;
  return framework;
}

/// A Linux machine with one virtual environment; the driver lies in a default folder.
class LinuxMachine {
 public:
  LinuxMachine() {
    python_.python = "/v/bin/python3";
    python_.prefix = "/v";
    python_.base_prefix = "/usr";
    python_.version = "3.12.3";
    python_.sys_path = {"/usr/lib/python3.12", "/usr/lib/python3.12/lib-dynload",
                        "/v/lib/python3.12/site-packages"};
    files_.add_elf("/v/bin/python3");
    files_.add_elf("/lib64/ld-linux-x86-64.so.2");
    files_.add_elf("/usr/lib/python3.12/lib-dynload/_ctypes" + std::string(kTag));
    add("/usr/lib/libcuda.so.1", "libcuda.so.1");
    add("/usr/lib/libnvidia-ml.so.1", "libnvidia-ml.so.1");
  }

  void add(const std::string& path, const std::string& soname, std::vector<std::string> needed = {},
           const std::string& runpath = {}) {
    ElfSpec spec;
    spec.soname = soname;
    spec.needed = std::move(needed);
    if (!runpath.empty()) {
      spec.runpath = runpath;
    }
    files_.add_elf(path, spec);
  }
  void add_in_site(const std::string& path, std::vector<std::string> needed = {},
                   const std::string& runpath = {}) {
    add(kSite + path, path.substr(path.rfind('/') + 1), std::move(needed), runpath);
  }

  void add_module(const std::string& path, std::vector<std::string> needed = {},
                  const std::string& runpath = {}) {
    add_in_site(path + kTag, std::move(needed), runpath);
  }

  FrameworkLoad import(FrameworkToLoad framework) {
    framework.site = "/v/lib/python3.12/site-packages";
    if (!process_) {
      settings_.loader = "/lib64/ld-linux-x86-64.so.2";
      process_ = std::make_unique<LinuxProcess>(files_, settings_);
      EXPECT_TRUE(process_->start("/v/bin/python3", LoadMode::strict).object);
    }
    return load_framework(*process_, python_, framework);
  }

  /// Where a loaded library lies, below the environment's site-packages if there; "" if it is not
  /// loaded.
  [[nodiscard]] std::vector<std::string> copies(const std::string& soname) const {
    std::vector<std::string> found;
    for (const LinuxObject& object : process_->objects()) {
      if (object.elf != nullptr && object.elf->soname == soname) {
        found.push_back(object.file.starts_with(kSite)
                            ? object.file.substr(std::string(kSite).size())
                            : object.file);
      }
    }
    return found;
  }
  [[nodiscard]] std::string copy(const std::string& soname) const {
    const std::vector<std::string> found = copies(soname);
    return found.empty() ? std::string{} : found.front();
  }

  FakeFiles files_;
  LinuxSettings settings_ = usual_linux_settings();
  PythonPlace python_;
  std::unique_ptr<LinuxProcess> process_;
};

const LibraryRequest* find_request(const FrameworkLoad& load, std::string_view ending) {
  const auto hit = std::ranges::find_if(
      load.requests, [&](const LibraryRequest& request) { return request.name.ends_with(ending); });
  return hit == load.requests.end() ? nullptr : &*hit;
}

void add_torch(LinuxMachine& machine) {
  machine.add_in_site("torch/lib/libtorch_global_deps.so", {"libcudart.so.13"},
                      "$ORIGIN/../../nvidia/cu13/lib");
  machine.add_module("torch/_C", {"libtorch_python.so"}, "$ORIGIN/lib");
  machine.add_in_site("torch/lib/libtorch_python.so", {"libtorch_cuda.so"}, "$ORIGIN");
  machine.add_in_site("torch/lib/libtorch_cuda.so", {"libcublas.so.13", "libcudnn.so.9"},
                      "$ORIGIN/../../nvidia/cu13/lib:$ORIGIN/../../nvidia/cudnn/lib");
  machine.add_in_site("nvidia/cu13/lib/libcudart.so.13");
  machine.add_in_site("nvidia/cu13/lib/libcublasLt.so.13");
  machine.add_in_site("nvidia/cu13/lib/libcublas.so.13", {"libcublasLt.so.13"}, "$ORIGIN");
  machine.add_in_site("nvidia/cudnn/lib/libcudnn.so.9", {}, "$ORIGIN");
  for (const char* part :
       {"graph", "engines_precompiled", "heuristic", "engines_runtime_compiled"}) {
    machine.add_in_site("nvidia/cudnn/lib/libcudnn_" + std::string(part) + ".so.9", {}, "$ORIGIN");
  }
}

TEST(TorchLoading, OpensCublasLtFirstSince211SoThatNoOtherCopyComes) {
  for (const bool is_new : {false, true}) {
    LinuxMachine machine;
    add_torch(machine);
    machine.add("/other/libcublasLt.so.13", "libcublasLt.so.13");
    machine.settings_.library_path = "/other";
    const FrameworkLoad load =
        machine.import(made("torch", is_new ? "2.11.0" : "2.10.0+cu130", "13.0"));
    EXPECT_FALSE(load.failed) << load.fault;
    EXPECT_EQ(machine.copy("libcublas.so.13"), "nvidia/cu13/lib/libcublas.so.13");
    EXPECT_EQ(machine.copy("libcublasLt.so.13"),
              is_new ? "nvidia/cu13/lib/libcublasLt.so.13" : "/other/libcublasLt.so.13");
    EXPECT_EQ(machine.copy("libcuda.so.1"), "/usr/lib/libcuda.so.1");
  }
}

TEST(TorchLoading, PartsOfCudnnMayComeFromAnotherCopyThanTheShim) {
  LinuxMachine machine;
  add_torch(machine);
  machine.add("/other/libcudnn.so.9", "libcudnn.so.9");
  machine.add("/other/libcudnn_graph.so.9", "libcudnn_graph.so.9");
  machine.settings_.library_path = "/other";
  const FrameworkLoad load = machine.import(made("torch", "2.14.1", "13.0"));
  EXPECT_EQ(machine.copy("libcudnn.so.9"), "nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(machine.copy("libcudnn_graph.so.9"), "/other/libcudnn_graph.so.9");
  // The engines are asked for by the graph part; nothing beside it has them.
  const LibraryRequest* engines = find_request(load, "libcudnn_engines_precompiled.so.9");
  ASSERT_NE(engines, nullptr);
  EXPECT_FALSE(engines->object);
  EXPECT_FALSE(engines->optional);
  EXPECT_EQ(engines->moment, LoadMoment::first_use);
  EXPECT_EQ(engines->asked_by, "/other/libcudnn_graph.so.9");
  EXPECT_NE(engines->fault.find("cannot open shared object file"), std::string::npos);
}

TEST(TorchLoading, LooksForWheelsAlongSysPathWhereItsOwnFoldersHaveNone) {
  LinuxMachine machine;
  machine.add_in_site("torch/lib/libtorch_global_deps.so", {"libcublas.so.12"});
  machine.add_module("torch/_C");
  machine.python_.sys_path.emplace_back("/w");
  for (const char* library :
       {"cublas/lib/libcublas.so.12", "cudnn/lib/libcudnn.so.9", "cuda_nvrtc/lib/libnvrtc.so.12",
        "cuda_runtime/lib/libcudart.so.12", "cuda_cupti/lib/libcupti.so.12",
        "cufft/lib/libcufft.so.11", "curand/lib/libcurand.so.10", "cusolver/lib/libcusolver.so.11",
        "cusparse/lib/libcusparse.so.12", "nccl/lib/libnccl.so.2"}) {
    const std::string path = library;
    machine.add("/w/nvidia/" + path, path.substr(path.rfind('/') + 1));
  }
  const FrameworkToLoad torch = made("torch", "2.4.1+cu124", "12.4");
  FrameworkLoad load = machine.import(torch);
  EXPECT_TRUE(load.failed);
  EXPECT_EQ(load.missing, "libnvToolsExt.so.*[0-9]");  // what that version insists on

  machine.add("/w/nvidia/nvtx/lib/libnvToolsExt.so.1", "libnvToolsExt.so.1");
  load = machine.import(torch);
  EXPECT_FALSE(load.failed) << load.fault;
  EXPECT_EQ(machine.copy("libcublas.so.12"), "/w/nvidia/cublas/lib/libcublas.so.12");
}

TEST(TorchLoading, FailsWithTheLoadersWordsOverOtherLibraries) {
  LinuxMachine machine;
  machine.add_in_site("torch/lib/libtorch_global_deps.so", {"libgomp.so.1"});
  const FrameworkLoad load = machine.import(made("torch", "2.14.1"));
  EXPECT_TRUE(load.failed);
  EXPECT_EQ(load.missing, "libgomp.so.1");
  EXPECT_EQ(load.wanted_by, kSite + std::string("torch/lib/libtorch_global_deps.so"));
}

TEST(TorchLoading, AMissingWheelEndsTheListUpTo213) {
  for (const bool is_new : {false, true}) {
    LinuxMachine machine;
    add_torch(machine);
    machine.files_.remove(kSite + std::string("nvidia/cu13/lib/libcublasLt.so.13"));
    machine.add("/usr/lib/libcublasLt.so.13", "libcublasLt.so.13");
    machine.add("/other/libcudnn.so.9", "libcudnn.so.9");
    machine.settings_.library_path = "/other";
    const FrameworkLoad load = machine.import(made("torch", is_new ? "2.14.0" : "2.13.0", "13.0"));
    EXPECT_FALSE(load.failed) << load.fault;
    EXPECT_EQ(machine.copy("libcudnn.so.9"),
              is_new ? "nvidia/cudnn/lib/libcudnn.so.9" : "/other/libcudnn.so.9");
  }
}

TEST(JaxLoading, OpensWheelsByPathAndThenAsksForEachComponent) {
  LinuxMachine machine;
  machine.add_in_site("jaxlib/_jax.so");
  for (const char* name : {"_versions", "_solver", "cuda_plugin_extension"}) {
    machine.add_in_site("jax_cuda13_plugin/" + std::string(name) + ".so");
  }
  machine.add_in_site("jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  machine.add_in_site("nvidia/cu13/lib/libcudart.so.13");
  machine.add_in_site("nvidia/cu13/lib/libcublas.so.13", {"libcublasLt.so.13"}, "$ORIGIN");
  machine.add_in_site("nvidia/cu13/lib/libcublasLt.so.13");
  machine.add("/other/libcublasLt.so.13", "libcublasLt.so.13");
  machine.settings_.library_path = "/other";
  const FrameworkLoad load = machine.import(made("jax", "0.11.2"));
  EXPECT_FALSE(load.failed) << load.fault;
  // cuBLAS takes the other copy, then the plugin opens the wheel's: both are in the process.
  EXPECT_EQ(
      machine.copies("libcublasLt.so.13"),
      (std::vector<std::string>{"/other/libcublasLt.so.13", "nvidia/cu13/lib/libcublasLt.so.13"}));
  const LibraryRequest* cudnn = find_request(load, "libcudnn.so.9");
  ASSERT_NE(cudnn, nullptr);
  EXPECT_FALSE(cudnn->object);
  EXPECT_FALSE(cudnn->optional);
}

TEST(CupyLoading, LooksIntoTheEnvironmentsOwnSitePackagesOnly) {
  LinuxMachine machine;
  machine.add_module("cupy/_core/core");
  machine.add_module("cupy_backends/cuda/libs/cublas", {"libcublas.so.13"});
  for (const char* place : {"/p/lib/python3.12/site-packages/nvidia/cu13/lib/", "/usr/lib/"}) {
    machine.add(place + std::string("libcublas.so.13"), "libcublas.so.13");
    machine.add(place + std::string("libcublasLt.so.13"), "libcublasLt.so.13");
  }
  machine.python_.sys_path.emplace_back("/p/lib/python3.12/site-packages");  // from a .pth file
  FrameworkLoad load = machine.import(made("cupy", "14.2.0"));
  EXPECT_FALSE(load.failed) << load.fault;
  EXPECT_EQ(machine.copy("libcublas.so.13"), "/usr/lib/libcublas.so.13");

  machine.process_.reset();
  machine.add_in_site("nvidia/cu13/lib/libcublas.so.13");
  load = machine.import(made("cupy", "14.2.0"));
  EXPECT_EQ(machine.copy("libcublas.so.13"), "nvidia/cu13/lib/libcublas.so.13");
}

TEST(CupyLoading, OldVersionsNeedCudaAtImport) {
  LinuxMachine machine;
  machine.add_module("cupy/_core/core", {"libcudart.so.11.0"});
  const FrameworkLoad load = machine.import(made("cupy", "12.3.0"));
  EXPECT_TRUE(load.failed);
  EXPECT_EQ(load.missing, "libcudart.so.11.0");
}

TEST(OnnxRuntimeLoading, AProviderThatDoesNotComeLeavesImportWhole) {
  LinuxMachine machine;
  machine.add_module("onnxruntime/capi/onnxruntime_pybind11_state", {}, "$ORIGIN");
  machine.add_in_site("onnxruntime/capi/libonnxruntime_providers_shared.so");
  machine.add_in_site("onnxruntime/capi/libonnxruntime_providers_cuda.so", {"libcublasLt.so.12"});
  const FrameworkLoad load = machine.import(made("onnxruntime", "1.20.2"));
  EXPECT_FALSE(load.failed);
  const LibraryRequest* provider = find_request(load, "libonnxruntime_providers_cuda.so");
  ASSERT_NE(provider, nullptr);
  EXPECT_EQ(provider->missing, "libcublasLt.so.12");
  EXPECT_EQ(provider->moment, LoadMoment::first_use);
}

TEST(Ctranslate2Loading, SeesNoWheelsOfNvidia) {
  LinuxMachine machine;
  machine.add_module("ctranslate2/_ext", {"libctranslate2-c75cca97.so.4.6.0"},
                     "$ORIGIN/../ctranslate2.libs");
  machine.add_in_site("ctranslate2.libs/libctranslate2-c75cca97.so.4.6.0");
  machine.add_in_site("nvidia/cublas/lib/libcublas.so.12");
  const FrameworkLoad load = machine.import(made("ctranslate2", "4.6.0"));
  EXPECT_FALSE(load.failed);
  const LibraryRequest* cublas = find_request(load, "libcublas.so.12");
  ASSERT_NE(cublas, nullptr);
  EXPECT_FALSE(cublas->object);
}

TEST(BitsandbytesLoading, TakesTheLibraryOfPytorchsCudaOrTheNextOlder) {
  LinuxMachine machine;
  machine.files_.add_file(kSite + std::string("torch/version.py"),
                          "__version__ = '2.8.0'\ncuda: Optional[str] = '12.9'\nhip = None\n");
  for (const char* name : {"cuda118", "cuda126", "cuda128", "cuda130", "cpu"}) {
    machine.add_in_site("bitsandbytes/libbitsandbytes_" + std::string(name) + ".so");
  }
  FrameworkLoad load = machine.import(made("bitsandbytes", "0.50.2"));
  EXPECT_NE(find_request(load, "libbitsandbytes_cuda128.so"), nullptr);
  load = machine.import(made("bitsandbytes", "0.45.5"));
  EXPECT_NE(find_request(load, "libbitsandbytes_cpu.so"), nullptr);
}

TEST(PaddleLoading, AsksForNamesWithVersionsOnlyWhereItWasBuiltForWheels) {
  for (const bool for_wheels : {false, true}) {
    LinuxMachine machine;
    machine.add_in_site("paddle/base/libpaddle.so");
    machine.files_.add_file(kSite + std::string("paddle/version/__init__.py"),
                            for_wheels ? "with_pip_cuda_libraries       = 'ON'\n"
                                       : "with_pip_cuda_libraries       = 'OFF'\n");
    machine.add_in_site("nvidia/cublas/lib/libcublas.so.12");
    machine.add("/usr/local/cuda/lib64/libcudnn.so.9", "libcudnn.so.9");
    const FrameworkLoad load = machine.import(made("paddle", "3.0.0", "12.6"));
    EXPECT_FALSE(load.failed) << load.fault;
    EXPECT_EQ(machine.copy("libcublas.so.12"),
              for_wheels ? "nvidia/cublas/lib/libcublas.so.12" : "");
    EXPECT_EQ(machine.copy("libcudnn.so.9"),
              for_wheels ? "/usr/local/cuda/lib64/libcudnn.so.9" : "");
    const LibraryRequest* curand =
        find_request(load, for_wheels ? "libcurand.so.10" : "libcurand.so");
    ASSERT_NE(curand, nullptr);
    EXPECT_FALSE(curand->object);
  }
}

TEST(TensorflowLoading, TheFrameworkLibraryAsksSoItsRunpathCounts) {
  LinuxMachine machine;
  machine.add_in_site("tensorflow/python/_pywrap_tensorflow_internal.so",
                      {"libtensorflow_framework.so.2"}, "$ORIGIN/..");
  machine.add_in_site("tensorflow/libtensorflow_framework.so.2", {}, "$ORIGIN/../nvidia/cudnn/lib");
  machine.add_in_site("nvidia/cudnn/lib/libcudnn.so.9");
  const FrameworkLoad load = machine.import(made("tensorflow", "2.19.1", "12.5.1"));
  EXPECT_FALSE(load.failed) << load.fault;
  EXPECT_TRUE(machine.copy("libcudnn.so.9").ends_with("nvidia/cudnn/lib/libcudnn.so.9"));
  const LibraryRequest* runtime = find_request(load, "libcudart.so.12");
  ASSERT_NE(runtime, nullptr);
  EXPECT_FALSE(runtime->object);
}

TEST(ExtensionLoading, OneModuleThatFailsLeavesTheOthersToBeTried) {
  LinuxMachine machine;
  machine.add("/v/a.so", "a.so", {"libgone.so.1"});
  machine.add("/v/b.so", "b.so");
  const FrameworkLoad load =
      machine.import(made("torchvision", "0.25.0", {}, {"/v/a.so", "/v/b.so"}));
  EXPECT_TRUE(load.failed);
  EXPECT_EQ(load.missing, "libgone.so.1");
  EXPECT_EQ(machine.copy("b.so"), "/v/b.so");
}

TEST(ExtensionLoading, LibrariesOfThePackageThatTheLoaderWouldNotFindAreOpenedBefore) {
  LinuxMachine machine;
  machine.add("/v/_C.so", "_C.so", {"libouter.so"});
  machine.add("/v/lib/libouter.so", "libouter.so", {"libinner.so"});
  machine.add("/v/lib/libinner.so", "libinner.so");
  machine.add("/v/lib/libunrelated.so", "libunrelated.so");
  FrameworkToLoad extension = made("torchaudio", "2.5.1", {}, {"/v/_C.so"});
  extension.libraries = {"/v/lib/libunrelated.so", "/v/lib/libouter.so", "/v/lib/libinner.so"};
  const FrameworkLoad load = machine.import(extension);
  EXPECT_FALSE(load.failed) << load.fault;
  EXPECT_EQ(machine.copy("libinner.so"), "/v/lib/libinner.so");
  EXPECT_EQ(machine.copy("libunrelated.so"), "");
}

TEST(ExtensionLoading, TheCauseIsWhatThePackagesOwnLibraryLacks) {
  LinuxMachine machine;
  machine.add("/v/_C.so", "_C.so", {"libouter.so"});
  machine.add("/v/lib/libouter.so", "libouter.so", {"libcudart.so.12"});
  FrameworkToLoad extension = made("torchaudio", "2.5.1", {}, {"/v/_C.so"});
  extension.libraries = {"/v/lib/libouter.so"};
  const FrameworkLoad load = machine.import(extension);
  EXPECT_TRUE(load.failed);
  EXPECT_EQ(load.missing, "libcudart.so.12");
}

TEST(ExtensionLoading, ALibraryUnderAnotherNameIsNotOpenedForEver) {
  LinuxMachine machine;
  machine.add("/v/_C.so", "_C.so", {"libouter.so"});
  machine.add("/v/lib/libouter.so", "libother.so.2");
  FrameworkToLoad extension = made("torchaudio", "2.5.1", {}, {"/v/_C.so"});
  extension.libraries = {"/v/lib/libouter.so"};
  EXPECT_EQ(machine.import(extension).missing, "libouter.so");
}

TEST(ExtensionLoading, OfSeveralBuildsOfALibraryOneThatComesIsEnough) {
  LinuxMachine machine;
  machine.add("/v/libcodec7.so", "libcodec7.so", {"libavutil.so.59"});
  machine.add("/v/libcodec6.so", "libcodec6.so");
  FrameworkToLoad extension = made("torchcodec", "0.2.1");
  extension.libraries = {"/v/libcodec7.so", "/v/libcodec6.so"};
  EXPECT_FALSE(machine.import(extension).failed);
  LinuxMachine other;
  other.add("/v/libcodec7.so", "libcodec7.so", {"libavutil.so.59"});
  extension.libraries = {"/v/libcodec7.so"};
  EXPECT_EQ(other.import(extension).missing, "libavutil.so.59");
}

TEST(PythonFinder, APackageWithInitHidesPortionsBeforeIt) {
  FakeFiles files;
  PythonPlace python;
  python.sys_path = {"/a", "/b", "/c"};
  files.add_folder("/a/nvidia/cudnn");
  files.add_folder("/c/nvidia/cudnn");
  const PythonFinder finder(files, python, PathKind::slashes);
  EXPECT_EQ(finder.package_folders("nvidia.cudnn"),
            (std::vector<std::string>{"/a/nvidia/cudnn", "/c/nvidia/cudnn"}));
  files.add_file("/c/nvidia/__init__.py", "");
  EXPECT_EQ(finder.package_folders("nvidia.cudnn"), std::vector<std::string>{"/c/nvidia/cudnn"});
  EXPECT_TRUE(finder.package_folders("nvidia.cu13").empty());
}

class WindowsMachine {
 public:
  WindowsMachine() {
    python_.python = "C:\\v\\Scripts\\python.exe";
    python_.prefix = "C:\\v";
    python_.base_prefix = "C:\\Python312";
    python_.version = "3.12.3";
    python_.sys_path = {"C:\\v\\Lib\\site-packages"};
    files_.add_pe("C:\\v\\Scripts\\python.exe", {.dll = false});
  }

  void add(const std::string& path, const std::vector<std::string>& imports = {}) {
    test::PeDescription description;
    for (const std::string& name : imports) {
      description.imports.push_back({.name = name, .functions = {}});
    }
    files_.add_pe(path, description);
  }

  FrameworkLoad import(FrameworkToLoad framework) {
    framework.site = "C:\\v\\Lib\\site-packages";
    if (!process_) {
      process_ = std::make_unique<WindowsProcess>(files_, settings_);
      EXPECT_TRUE(process_->start(python_.python, LoadMode::strict).object);
    }
    return load_framework(*process_, python_, framework);
  }
  [[nodiscard]] std::string copy(const std::string& name) const {
    const auto found = process_->find_loaded(name);
    return found ? process_->objects()[*found].file : std::string{};
  }

  FakeFiles files_{FakeSystem::windows_like};
  WindowsSettings settings_;
  PythonPlace python_;
  std::unique_ptr<WindowsProcess> process_;
};

TEST(TorchLoadingWindows, TheToolkitCountsOnlyWhereNoRuntimeLiesBesideTorch) {
  constexpr const char* kToolkit = "C:\\T\\v12.4";
  for (const bool has_runtime : {false, true}) {
    WindowsMachine machine;
    machine.python_.variables["CUDA_PATH_V12_4"] = kToolkit;
    machine.add(kToolkit + std::string("\\bin\\cublas64_12.dll"));
    machine.add("C:\\v\\Lib\\site-packages\\torch\\lib\\torch_cuda.dll", {"cublas64_12.dll"});
    machine.add("C:\\v\\Lib\\site-packages\\torch\\_C.cp312-win_amd64.pyd");
    if (has_runtime) {
      machine.add("C:\\v\\Lib\\site-packages\\torch\\lib\\cudart64_12.dll");
    }
    const FrameworkLoad load = machine.import(made("torch", "2.6.0+cu124", "12.4"));
    EXPECT_EQ(load.failed, has_runtime) << load.fault;
    EXPECT_EQ(machine.copy("cublas64_12.dll"),
              has_runtime ? "" : "C:\\T\\v12.4\\bin\\cublas64_12.dll");
    EXPECT_EQ(load.missing, has_runtime ? "cublas64_12.dll" : "");
  }
}

TEST(CupyLoadingWindows, AfterPytorchTheCopiesBesideItCount) {
  const std::string site = "C:\\v\\Lib\\site-packages\\";
  for (const bool after_torch : {false, true}) {
    WindowsMachine machine;
    machine.add("C:\\Windows\\System32\\nvcuda.dll");
    machine.add(site + "torch\\_C.cp312-win_amd64.pyd", {"torch_cuda.dll"});
    for (const char* name : {"torch_cuda.dll", "cublasLt64_13.dll", "cublas64_13.dll"}) {
      machine.add(site + "torch\\lib\\" + name);
    }
    for (const char* name : {"nvrtc64_130_0.dll", "cublasLt64_13.dll", "cublas64_13.dll"}) {
      machine.add(site + "nvidia\\cu13\\bin\\x86_64\\" + name);
    }
    machine.add(site + "cupy\\_core\\core.cp312-win_amd64.pyd");
    machine.add(site + "cupy_backends\\cuda\\libs\\cublas.cp312-win_amd64.pyd",
                {"cublas64_13.dll"});
    if (after_torch) {
      EXPECT_FALSE(machine.import(made("torch", "2.11.0+cu130", "13.0")).failed);
    }
    const FrameworkLoad load = machine.import(made("cupy", "14.2.0"));
    EXPECT_FALSE(load.failed) << load.fault;
    const std::string folder = after_torch ? "torch\\lib\\" : "nvidia\\cu13\\bin\\x86_64\\";
    for (const char* name : {"cublasLt64_13.dll", "cublas64_13.dll"}) {
      EXPECT_EQ(machine.copy(name), site + folder + name);
      EXPECT_EQ(std::ranges::count(machine.process_->objects(), to_lower_ascii(name),
                                   &WindowsObject::name),
                1);
    }
  }
}

TEST(Ctranslate2LoadingWindows, LoadsEachDllOfItsFolder) {
  WindowsMachine machine;
  machine.add("C:\\v\\Lib\\site-packages\\ctranslate2\\ctranslate2.dll", {"cudnn64_9.dll"});
  machine.add("C:\\v\\Lib\\site-packages\\ctranslate2\\cudnn64_9.dll");
  machine.add("C:\\v\\Lib\\site-packages\\ctranslate2\\_ext.cp312-win_amd64.pyd",
              {"ctranslate2.dll"});
  const FrameworkLoad load = machine.import(made("ctranslate2", "4.6.0"));
  EXPECT_FALSE(load.failed) << load.fault;
  EXPECT_EQ(machine.copy("cudnn64_9.dll"), "C:\\v\\Lib\\site-packages\\ctranslate2\\cudnn64_9.dll");
  EXPECT_NE(find_request(load, "cublas64_12.dll"), nullptr);
}

}  // namespace
}  // namespace plumb

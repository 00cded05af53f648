// SPDX-License-Identifier: Apache-2.0
#include "observe/cuda_toolkits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "observe/cuda_headers.h"
#include "observe/cuda_software.h"
#include "observe/cuda_toolkit_versions.h"
#include "observe/fake_host_test.h"
#include "observe/json_strings.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kWindowsToolkits = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/";

CudaToolkits toolkits(const FakeHost& fake) {
  return observe_cuda_software(fake.host(), {}, {}).cuda;
}

void write_linux_toolkit(const FakeHost& fake, const std::string& folder, int number) {
  fake.write(folder + "/include/cuda.h",
             "/* */\n#define CUDA_VERSION " + std::to_string(number) + "\n");
  fake.write(folder + "/include/cuda_runtime_api.h",
             "#define CUDART_VERSION  " + std::to_string(number) + "\n");
  fake.write(folder + "/nvvm/libdevice/libdevice.10.bc", "BC");
  test::ElfSpec nvcc;
  nvcc.type = 2;
  nvcc.sections.push_back(
      {".rodata", "Cuda compilation tools, release " +
                      cuda_version_of_number(static_cast<std::uint64_t>(number)).value() + ", V" +
                      cuda_version_of_number(static_cast<std::uint64_t>(number)).value() + ".88"});
  fake.write(folder + "/bin/nvcc", test::build_elf(nvcc).bytes);
  fake.write(folder + "/lib64/libcudart.so." +
                 cuda_version_of_number(static_cast<std::uint64_t>(number)).value() + ".96",
             "elf");
}

void write_windows_toolkit(const FakeHost& fake, const std::string& name, int number,
                           const std::u16string& nvcc_version) {
  const std::string folder = kWindowsToolkits + name;
  fake.write(folder + "/include/cuda.h", "#define CUDA_VERSION " + std::to_string(number) + "\r\n");
  test::PeVersion info;
  info.tables = {{.strings = {{u"FileDescription",
                               u"NVIDIA Cuda compiler driver, Version " + nvcc_version + u" "}}}};
  test::PeDescription nvcc;
  nvcc.dll = false;
  nvcc.resources.push_back({.type = 16, .data = test::build_version_info(info)});
  fake.write(folder + "/bin/nvcc.exe", test::build_pe(nvcc).bytes);
}

TEST(CudaToolkits, AHealthyOneOnLinuxSaysOneVersionInAllPlaces) {
  FakeHost fake("linux");
  write_linux_toolkit(fake, "usr/local/cuda-13.0", 13000);
  fake.write("usr/local/cuda-13.0/version.json",
             R"({"cuda" : {"name" : "CUDA SDK", "version" : "13.0.3"},
                 "cuda_nvcc" : {"name" : "CUDA NVCC", "version" : "13.0.88"}})");
  fake.set("PATH", "/usr/bin:/usr/local/cuda-13.0/bin");
  fake.set("CUDA_HOME", "/usr/local/cuda-13.0/");
  const CudaToolkits all = toolkits(fake);
  ASSERT_EQ(all.toolkits.size(), 1U);
  const CudaToolkit& toolkit = all.toolkits[0];
  EXPECT_EQ(toolkit.path, "/usr/local/cuda-13.0");
  EXPECT_EQ(toolkit.origin, "CUDA_HOME");
  EXPECT_EQ(toolkit.version, "13.0");
  EXPECT_EQ(toolkit.versions.size(), 7U);  // all but version.txt
  EXPECT_TRUE(toolkit.agree);
  EXPECT_TRUE(toolkit.headers);
  EXPECT_TRUE(toolkit.cudart);
  EXPECT_TRUE(toolkit.libdevice);
  EXPECT_EQ(all.nvcc_on_path.value, "/usr/local/cuda-13.0/bin/nvcc");
  EXPECT_EQ(all.nvcc_toolkit, toolkit.path);
  ASSERT_EQ(all.pointers.size(), 1U);
  EXPECT_EQ(all.pointers[0].state, PointerState::toolkit);
}

TEST(CudaToolkits, SeveralAreListedNewestFirst) {
  FakeHost fake("linux");
  write_linux_toolkit(fake, "usr/local/cuda-11.8", 11080);
  write_linux_toolkit(fake, "usr/local/cuda-12.8", 12080);
  fake.set("PATH", "/usr/local/cuda-11.8/bin:/usr/local/cuda-12.8/bin");
  const CudaToolkits all = toolkits(fake);
  ASSERT_EQ(all.toolkits.size(), 2U);
  EXPECT_EQ(all.toolkits[0].version, "12.8");
  EXPECT_EQ(all.nvcc_toolkit, "/usr/local/cuda-11.8");
}

TEST(CudaToolkits, DisagreeingPlacesAreNoticed) {
  FakeHost fake("linux");
  write_linux_toolkit(fake, "usr/local/cuda-12.8", 12080);
  fake.write("usr/local/cuda-12.8/include/cuda.h", "#define CUDA_VERSION 12040\n");
  const CudaToolkits all = toolkits(fake);
  ASSERT_EQ(all.toolkits.size(), 1U);
  EXPECT_FALSE(all.toolkits[0].agree);
  EXPECT_EQ(all.toolkits[0].version, "12.4");
}

TEST(CudaToolkits, ABrokenVersionFileIsSaidAndHarmless) {
  FakeHost fake("linux");
  write_linux_toolkit(fake, "usr/local/cuda-12.8", 12080);
  for (const char* text : {"{\"cuda\" : {", "[]", "12.8", "", "\xff\xfe", "null"}) {
    fake.write("usr/local/cuda-12.8/version.json", text);
    const CudaToolkits all = toolkits(fake);
    ASSERT_EQ(all.toolkits.size(), 1U);
    EXPECT_EQ(all.toolkits[0].version, "12.8");
    EXPECT_TRUE(std::ranges::any_of(all.toolkits[0].versions, [](const ToolkitVersionNote& note) {
      return note.source == ToolkitVersionSource::version_json && note.version.fault;
    })) << text;
  }
}

TEST(CudaToolkits, AVariableMayBeStale) {
  FakeHost fake("linux");
  fake.make_folder("home/me");
  fake.set("CUDA_PATH", "/usr/local/cuda-10.2");
  fake.set("CUDA_HOME", "/home/me");
  fake.set("CUDA_ROOT", "/home/file");
  fake.write("home/file", "");
  const CudaToolkits all = toolkits(fake);
  EXPECT_TRUE(all.toolkits.empty());
  ASSERT_EQ(all.pointers.size(), 3U);
  EXPECT_EQ(all.pointers[0].state, PointerState::missing);
  EXPECT_EQ(all.pointers[1].state, PointerState::no_toolkit);
  EXPECT_EQ(all.pointers[2].state, PointerState::no_folder);
}

TEST(CudaToolkits, DebiansIsSpreadOverUsr) {
  FakeHost fake("linux");
  fake.write("usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  fake.write("usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc", "");
  fake.write("usr/include/cuda.h", "#define CUDA_VERSION 11080\n");
  fake.write("usr/lib/x86_64-linux-gnu/libcudart.so.11.8.89", "");
  fake.set("PATH", "/usr/bin");
  const CudaToolkits all = toolkits(fake);
  ASSERT_EQ(all.toolkits.size(), 1U);
  EXPECT_EQ(all.toolkits[0].layout, ToolkitLayout::debian);
  EXPECT_EQ(all.toolkits[0].version, "11.8");
  EXPECT_TRUE(all.toolkits[0].libdevice);
  EXPECT_TRUE(all.toolkits[0].cudart);
  EXPECT_EQ(all.nvcc_toolkit, "/usr");
}

TEST(CudaToolkits, CondaWheelsAndTheHpcSdk) {
  FakeHost fake("linux");
  fake.write("env/conda-meta/history", "");
  fake.write("env/bin/nvcc", "");
  fake.write("env/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12060\n");
  fake.write("site-packages/nvidia/cu13/bin/nvcc", "");
  fake.write("site-packages/nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 13000\n");
  fake.write("site-packages/nvidia/cuda_nvcc/bin/ptxas", "");  // no compiler, no toolkit
  fake.make_folder("opt/nvidia/hpc_sdk/Linux_x86_64/25.1/cuda/12.6/lib64");
  const CudaToolkits all =
      observe_cuda_software(fake.host(), {}, {fake.path("env"), fake.path("site-packages")}).cuda;
  ASSERT_EQ(all.toolkits.size(), 3U);
  EXPECT_EQ(all.toolkits[0].layout, ToolkitLayout::wheel);
  EXPECT_EQ(all.toolkits[0].path, "/site-packages/nvidia/cu13");
  EXPECT_EQ(all.toolkits[0].version, "13.0");
  EXPECT_EQ(all.toolkits[1].layout, ToolkitLayout::hpc_sdk);
  EXPECT_EQ(all.toolkits[1].version, "12.6");
  EXPECT_EQ(all.toolkits[2].layout, ToolkitLayout::conda);
  EXPECT_EQ(all.toolkits[2].version, "12.6");
}

TEST(CudaToolkits, AlternativesTellWhoChose) {
  FakeHost fake("linux");
  fake.write("var/lib/dpkg/alternatives/cuda",
             "manual\n/usr/local/cuda\n\n/usr/local/cuda-12.8\n128\n/usr/local/cuda-13.0\n130\n\n");
  CudaToolkits all = toolkits(fake);
  EXPECT_EQ(all.alternatives.value, "manual");
  ASSERT_EQ(all.choices.size(), 2U);
  EXPECT_EQ(all.choices[1].path, "/usr/local/cuda-13.0");
  EXPECT_EQ(all.choices[1].priority, 130U);
  fake.write("var/lib/dpkg/alternatives/cuda", "");
  EXPECT_TRUE(toolkits(fake).alternatives.fault);
}

TEST(CudaToolkits, WindowsRegistryVariablesAndFolders) {
  FakeHost fake("windows");
  write_windows_toolkit(fake, "v12.8", 12080, u"12.8.93");
  write_windows_toolkit(fake, "v13.0", 13000, u"13.0.88");
  fake.set("CUDA_PATH", "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8\\");
  fake.set("CUDA_PATH_V11_2", "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2");
  fake.set("PATH", "\"C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0\\bin\";;x");
  fake.host().registry = registry_of_export(R"(Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA\v12.8]
"InstallDir"="C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8"

[HKEY_LOCAL_MACHINE\SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA\v9.0]
"InstallDir"=dword:00000001

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Session Manager\Environment]
"CUDA_PATH"="C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0"
)");
  const CudaToolkits all = toolkits(fake);
  ASSERT_EQ(all.toolkits.size(), 2U);
  EXPECT_EQ(all.toolkits[0].version, "13.0");
  EXPECT_EQ(all.toolkits[0].versions.size(), 3U);  // header, nvcc, folder
  EXPECT_TRUE(all.toolkits[0].agree);
  EXPECT_EQ(all.nvcc_toolkit, all.toolkits[0].path);
  EXPECT_EQ(all.toolkits[1].path, "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8");
  ASSERT_EQ(all.pointers.size(), 4U);
  EXPECT_EQ(all.pointers[0].toolkit, all.toolkits[1].path);
  EXPECT_EQ(all.pointers[1].state, PointerState::missing);  // CUDA_PATH_V11_2
  EXPECT_EQ(all.pointers[2].kind, PointerKind::registry);
  EXPECT_EQ(all.pointers[3].kind, PointerKind::machine_variable);
  EXPECT_EQ(all.pointers[3].toolkit, all.toolkits[0].path);
}

TEST(CudaHeaders, Numbers) {
  EXPECT_EQ(defined_number("#define CUDA_VERSION_X 1\n # define CUDA_VERSION\t13000 /* */\r\n",
                           "CUDA_VERSION"),
            13000U);
  EXPECT_FALSE(defined_number("// CUDA_VERSION 13000\n#define CUDA_VERSION", "CUDA_VERSION"));
  EXPECT_EQ(cuda_version_of_number(11080), "11.8");
  EXPECT_FALSE(cuda_version_of_number(0));
}

TEST(CudaHeaders, LimitsOfHostCompilers) {
  const HostCompilerLimits limits = parse_host_config(
      "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 20))\n"
      "#if __GNUC__ > 15\n"
      "#if (__clang_major__ >= 21) || (__clang_major__ < 3) || ((__clang_major__ == 3) && x)\n"
      "#if _MSC_VER < 1920 || _MSC_VER >= 1950\n"
      "#if _MSC_VER >= 1500\n");
  EXPECT_EQ(limits.gcc_most, 15U);
  EXPECT_EQ(limits.clang_below, 21U);
  EXPECT_EQ(limits.msc_least, 1920U);
  EXPECT_EQ(limits.msc_below, 1950U);
  EXPECT_EQ(parse_host_config("#include \"crt/host_config.h\"\n").gcc_most, 0U);
}

TEST(JsonStrings, OnlyThoseNearTheTop) {
  const auto strings = json_strings(
      R"({"a":"1","b":{"c":"2","d":{"e":"3"}},"list":[{"f":"4"},"5"],"n":6,"z":null})");
  ASSERT_TRUE(strings);
  EXPECT_EQ(*strings, (std::map<std::string, std::string>{{"a", "1"}, {"b.c", "2"}}));
  EXPECT_FALSE(json_strings(std::string(100'000, '[')));
  EXPECT_FALSE(json_strings(R"({"a":"1")"));
}

TEST(ToolkitVersions, Texts) {
  EXPECT_EQ(major_minor("11.8.20220929"), "11.8");
  EXPECT_EQ(major_minor("12"), "");
  EXPECT_EQ(version_of_folder_name("cuda-12.8"), "12.8");
  EXPECT_FALSE(version_of_folder_name("cuda-12"));
  EXPECT_EQ(version_of_description("NVIDIA CUDA Runtime, Version 12.8.90 "), "12.8.90");
  EXPECT_FALSE(version_of_description("Version "));
}

}  // namespace
}  // namespace plumb

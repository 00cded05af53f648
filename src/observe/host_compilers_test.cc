// SPDX-License-Identifier: Apache-2.0
#include "observe/host_compilers.h"

#include <gtest/gtest.h>

#include "observe/cuda_software.h"
#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(HostCompilers, LinuxByNamesAndFolders) {
  FakeHost fake("linux");
  for (const char* name : {"gcc", "g++", "clang++-18", "gcc-ar", "g++-13", "clang-format-18"}) {
    fake.write(std::string("usr/bin/") + name, name);
  }
  fake.make_folder("usr/lib/gcc/x86_64-redhat-linux/14");
  fake.make_folder("usr/lib/gcc/x86_64-w64-mingw32/12");  // another system's
  fake.set("PATH", "/usr/bin");
  fake.set("CC", "clang");
  const HostCompilers all = observe_cuda_software(fake.host(), {}, {}).compilers;
  ASSERT_EQ(all.compilers.size(), 4U);
  EXPECT_EQ(all.compilers[0].path, "/usr/bin/clang++-18");
  EXPECT_EQ(all.compilers[0].version.value, "18");
  EXPECT_TRUE(all.compilers[0].cxx);
  EXPECT_EQ(all.compilers[1].path, "/usr/bin/g++");
  EXPECT_EQ(all.compilers[1].version.value, "14");
  EXPECT_TRUE(all.compilers[1].first_on_path);
  EXPECT_EQ(all.compilers[2].version.value, "13");
  EXPECT_FALSE(all.compilers[2].first_on_path);
  ASSERT_EQ(all.variables.size(), 1U);
  EXPECT_EQ(all.variables[0].value, "clang");
}

TEST(HostCompilers, AToolkitTurnsANewerOneAway) {
  FakeHost fake("linux");
  fake.write("usr/bin/g++-13", "a");
  fake.write("usr/bin/g++-12", "b");
  fake.write("usr/bin/clang-9", "c");
  fake.write("usr/local/cuda-12.0/include/crt/host_config.h",
             "#if __GNUC__ > 12\n#if (__clang_major__ >= 15) || (__clang_major__ < 3)\n");
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  ASSERT_EQ(software.cuda.toolkits.size(), 1U);
  const auto& verdicts = software.cuda.toolkits[0].verdicts;
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].acceptance, Acceptance::accepted);  // clang-9
  EXPECT_EQ(verdicts[1].acceptance, Acceptance::accepted);
  EXPECT_EQ(verdicts[2].compiler, "/usr/bin/g++-13");
  EXPECT_EQ(verdicts[2].acceptance, Acceptance::too_new);
}

TEST(HostCompilers, VisualStudioAndItsToolsets) {
  FakeHost fake("windows");
  fake.write("ProgramData/Microsoft/VisualStudio/Packages/_Instances/0a1b2c3d/state.json",
             "\xef\xbb\xbf{\"installationPath\":\"C:\\\\VS\\\\2026\","
             "\"installationVersion\":\"18.0.11205.157\",\"channelId\":\"VisualStudio.18.Release\","
             "\"product\":{\"id\":\"Microsoft.VisualStudio.Product.BuildTools\"},"
             "\"selectedPackages\":[{\"id\":\"x\"}]}");
  fake.write("ProgramData/Microsoft/VisualStudio/Packages/_Instances/deadbeef/state.json", "{");
  fake.write("ProgramData/Microsoft/VisualStudio/Packages/_Instances/f0000000/state.json",
             "{\"installationPath\":\"C:\\\\VS\\\\gone\"}");
  fake.write("VS/2026/VC/Auxiliary/Build/Microsoft.VCToolsVersion.default.txt", "14.50.35717\r\n");
  fake.write("VS/2026/VC/Tools/MSVC/14.44.35207/bin/Hostx64/x64/cl.exe", "a");
  fake.write("VS/2026/VC/Tools/MSVC/14.50.35717/bin/Hostx64/x64/cl.exe", "b");
  fake.make_folder("VS/2026/VC/Tools/MSVC/14.29.30133");  // without a compiler
  fake.write("Kits/10/Include/10.0.22621.0/um/windows.h", "");
  fake.set("PATH", "C:\\VS\\2026\\VC\\Tools\\MSVC\\14.44.35207\\bin\\Hostx64\\x64");
  fake.write("Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.8/include/crt/host_config.h",
             "#if _MSC_VER < 1910 || _MSC_VER >= 1950\r\n#error x\r\n");
  fake.host().registry = registry_of_export(R"(Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows Kits\Installed Roots]
"KitsRoot10"="C:\\Kits\\10\\"

[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows Kits\Installed Roots\10.0.22621.0]

[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows Kits\Installed Roots\10.0.19041.0]
)");
  const CudaSoftware software = observe_cuda_software(fake.host(), {}, {});
  const HostCompilers& all = software.compilers;
  ASSERT_EQ(all.visual_studio.size(), 3U);
  const VisualStudio& studio = all.visual_studio[0];
  EXPECT_TRUE(studio.present);
  EXPECT_EQ(studio.version.value, "18.0.11205.157");
  EXPECT_EQ(studio.product, "Microsoft.VisualStudio.Product.BuildTools");
  EXPECT_EQ(studio.default_toolset.value, "14.50.35717");
  EXPECT_EQ(studio.toolsets.size(), 2U);
  EXPECT_TRUE(all.visual_studio[1].path.fault);  // a broken state.json
  EXPECT_FALSE(all.visual_studio[2].present);    // a folder that is gone
  ASSERT_EQ(all.windows_sdks.size(), 2U);
  EXPECT_TRUE(all.windows_sdks[0].usable);
  EXPECT_FALSE(all.windows_sdks[1].usable);
  ASSERT_EQ(all.compilers.size(), 2U);
  EXPECT_TRUE(all.compilers[0].first_on_path);
  ASSERT_EQ(software.cuda.toolkits.size(), 1U);
  const auto& verdicts = software.cuda.toolkits[0].verdicts;
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].acceptance, Acceptance::accepted);
  EXPECT_EQ(verdicts[1].acceptance, Acceptance::too_new);  // VS 2026 needs CUDA 13.2
}

TEST(HostCompilers, NumbersOfToolsets) {
  EXPECT_EQ(msc_ver_of_toolset("14.44.35207"), 1944U);
  EXPECT_EQ(msc_ver_of_toolset("12.0"), 0U);
  EXPECT_EQ(msc_ver_of_toolset("rubbish"), 0U);
}

}  // namespace
}  // namespace plumb

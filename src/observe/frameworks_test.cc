// SPDX-License-Identifier: Apache-2.0
// Whole environments of small made-up libraries, in both systems' layouts.
#include "observe/frameworks.h"

#include <gtest/gtest.h>

#include "observe/distributions.h"
#include "observe/fake_host_test.h"
#include "observe/machine.h"

namespace plumb {
namespace {

using test::FakeHost;
using test::linux_library;
using test::windows_library;

constexpr const char* kSite = "ml/lib/python3.12/site-packages/";

void make_environment(const FakeHost& fake) {
  fake.write("ml/pyvenv.cfg",
             "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = false\n");
  fake.write("ml/bin/python");
}

void install(const FakeHost& fake, const std::string& site, const std::string& name,
             const std::string& version, const std::string& record) {
  const std::string info = site + name + "-" + version + ".dist-info/";
  fake.write(info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
  fake.write(info + "RECORD", record);
}

const FrameworkFacts* find(const MachineFacts& machine, std::string_view name) {
  for (const FrameworkFacts& framework : machine.frameworks) {
    if (framework.name == name) {
      return &framework;
    }
  }
  return nullptr;
}

TEST(Frameworks, AGpuBuildOfTorchOnLinux) {
  FakeHost fake("linux");
  make_environment(fake);
  const std::string site = kSite;
  install(fake, site, "torch", "2.14.1",
          "torch/lib/libtorch_cuda.so,,900\ntorch/lib/libtorch_cpu.so,,800\ntorch/x.py,,1\n");
  fake.write(site + "torch/version.py",
             "__version__ = '2.14.1+cu130'\ncuda: Optional[str] = '13.0'\n");
  fake.write(site + "torch/lib/libtorch_cuda.so",
             linux_library({80, 90}, {"libcudart.so.13", "libcublas.so.13", "libcuda.so.1"},
                           "$ORIGIN/../../nvidia/cu13/lib"));
  fake.write(site + "torch/lib/libtorch_cpu.so", linux_library({}, {"libc.so.6"}));
  fake.write(site + "nvidia/cu13/lib/libcudart.so.13", linux_library({}, {"libc.so.6"}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  ASSERT_EQ(machine.frameworks.size(), 1U);
  const FrameworkFacts& torch = machine.frameworks.front();
  EXPECT_EQ(torch.version, "2.14.1+cu130");
  EXPECT_EQ(torch.cuda.value, "13.0");
  EXPECT_EQ(torch.cuda.origin, "torch/version.py");
  EXPECT_EQ(torch.libraries_seen, 2U);
  ASSERT_EQ(torch.libraries.size(), 1U);
  EXPECT_EQ(torch.libraries.front().path, "torch/lib/libtorch_cuda.so");
  EXPECT_EQ(torch.libraries.front().gpu.containers.size(), 1U);
  ASSERT_EQ(torch.needs.size(), 2U);  // the driver's own library is not asked for here
  EXPECT_EQ(fake.relative(torch.needs[0].found),
            "ml/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13");
  EXPECT_EQ(torch.needs[1].name, "libcublas.so.13");
  EXPECT_EQ(torch.needs[1].found, "");
}

TEST(Frameworks, ACpuBuildOfTorchForWindows) {
  FakeHost fake("windows");
  fake.write("ml/pyvenv.cfg", "home = C:\\Python312\nversion = 3.12.8\n");
  fake.write("ml/Scripts/python.exe");
  const std::string site = "ml/Lib/site-packages/";
  install(fake, site, "torch", "2.14.1", "torch/lib/torch_cpu.dll,,5\n");
  fake.write(site + "torch/version.py", "__version__ = '2.14.1+cpu'\ncuda = None\n");
  fake.write(site + "torch/lib/torch_cpu.dll", windows_library({}, {"KERNEL32.dll"}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  const FrameworkFacts* torch = find(machine, "torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_TRUE(torch->libraries.empty());
  EXPECT_FALSE(torch->cuda);
  EXPECT_EQ(torch->cuda.origin, "torch/version.py");
  EXPECT_TRUE(machine.errors.empty());
}

TEST(Frameworks, BundledLibrariesOfNvidiaAreNotItsOwn) {
  FakeHost fake("windows");
  fake.write("ml/pyvenv.cfg", "home = C:\\Python312\nversion = 3.12.8\n");
  const std::string site = "ml/Lib/site-packages/";
  install(
      fake, site, "torch", "2.10.0",
      "torch/lib/torch_cuda.dll,,5\ntorch/lib/cudnn64_9.dll,,9\ntorch/lib/cublas64_12.dll,,9\n");
  fake.write(site + "torch/lib/torch_cuda.dll",
             windows_library({80}, {"cudnn64_9.dll", "cublas64_12.dll"}));
  fake.write(site + "torch/lib/cudnn64_9.dll", windows_library({100}));
  fake.write(site + "torch/lib/cublas64_12.dll", windows_library({100}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  const FrameworkFacts* torch = find(machine, "torch");
  ASSERT_NE(torch, nullptr);
  ASSERT_EQ(torch->libraries.size(), 1U);
  EXPECT_EQ(torch->libraries_seen, 3U);
  ASSERT_EQ(torch->needs.size(), 2U);
  EXPECT_FALSE(torch->needs[0].found.empty());
}

TEST(Frameworks, TwoPackagesThatFillOneFolder) {
  FakeHost fake("linux");
  make_environment(fake);
  const std::string site = kSite;
  const std::string record = "onnxruntime/capi/onnxruntime_pybind11_state.so,,5\n";
  install(fake, site, "onnxruntime", "1.20.0", record);
  install(fake, site, "onnxruntime_gpu", "1.20.1", record);
  fake.write(site + "onnxruntime/capi/onnxruntime_pybind11_state.so", linux_library({}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  const FrameworkFacts* ort = find(machine, "onnxruntime");
  ASSERT_NE(ort, nullptr);
  EXPECT_EQ(ort->overlapping,
            (std::vector<std::string>{"onnxruntime 1.20.0", "onnxruntime_gpu 1.20.1"}));
  EXPECT_EQ(ort->package, "onnxruntime_gpu");
}

TEST(Frameworks, JaxAndItsPluginAreOne) {
  FakeHost fake("linux");
  make_environment(fake);
  const std::string site = kSite;
  install(fake, site, "jax", "0.12.0", "jax/x.py,,\n");
  install(fake, site, "jaxlib", "0.12.0", "jaxlib/x.so,,\n");
  install(fake, site, "jax_cuda13_plugin", "0.12.0", "jax_cuda13_plugin/_rnn.so,,\n");
  fake.write(site + "jaxlib/x.so", linux_library({}));
  fake.write(site + "jax_cuda13_plugin/_rnn.so", linux_library({90}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  const FrameworkFacts* jax = find(machine, "jax");
  ASSERT_NE(jax, nullptr);
  EXPECT_EQ(jax->packages.size(), 3U);
  EXPECT_EQ(jax->cuda.value, "13");
  EXPECT_EQ(jax->libraries.size(), 1U);
  EXPECT_TRUE(jax->overlapping.empty());
}

TEST(Frameworks, ExtensionsCountOnlyWithGpuCode) {
  FakeHost fake("linux");
  make_environment(fake);
  const std::string site = kSite;
  install(fake, site, "xformers", "0.0.35", "xformers/_C.so,,\n");
  install(fake, site, "deepspeed", "0.18", "deepspeed/x.py,,\n");
  install(fake, site, "nvidia_cudnn_cu13", "9.24.0.43", "nvidia/cudnn/lib/libcudnn.so.9,,\n");
  fake.write(site + "xformers/_C.so", linux_library({90}));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  ASSERT_EQ(machine.frameworks.size(), 1U);
  EXPECT_EQ(machine.frameworks.front().name, "xformers");
  EXPECT_FALSE(machine.frameworks.front().is_framework);
  EXPECT_EQ(machine.distributions.size(), 3U);
}

TEST(Frameworks, DamagedLibrariesAreCountedAndTold) {
  FakeHost fake("linux");
  make_environment(fake);
  const std::string site = kSite;
  install(fake, site, "torch", "2.14.1", "torch/lib/libtorch_cuda.so,,900\ntorch/lib/gone.so,,3\n");
  fake.write(site + "torch/lib/libtorch_cuda.so", linux_library({80}).substr(0, 40));
  const MachineFacts machine = observe_machine(fake.host(), fake.path("ml"));
  ASSERT_EQ(machine.frameworks.size(), 1U);
  EXPECT_EQ(machine.frameworks.front().libraries_unreadable, 1U);
  ASSERT_EQ(machine.errors.size(), 1U);
  EXPECT_NE(machine.errors.front().where.find("libtorch_cuda.so"), std::string::npos);
}

TEST(Machine, ToolkitsAndSystem) {
  FakeHost fake("linux");
  fake.write("usr/local/cuda-12.8/bin/nvcc");
  fake.make_folder("usr/local/cuda-13.0/include");
  fake.write("usr/local/cuda-13.0/include/cuda.h", "/* */\n#define CUDA_VERSION 13000\n");
  fake.make_folder("usr/local/cuda-9.2");  // left empty by an uninstaller
  fake.write("etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n");
  fake.write(".dockerenv");
  fake.write("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n");
  const MachineFacts machine = observe_machine(fake.host(), "");
  ASSERT_EQ(machine.toolkits.size(), 2U);
  EXPECT_EQ(machine.toolkits[0].version, "13.0");
  EXPECT_EQ(machine.toolkits[1].version, "12.8");
  EXPECT_EQ(machine.system.distribution, "ubuntu");
  EXPECT_EQ(machine.system.container_mark, "/.dockerenv");
  EXPECT_TRUE(machine.system.wsl);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/kernel_state.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kRelease = "6.8.0-45-generic";
constexpr const char* kModules = "lib/modules/6.8.0-45-generic/";

std::string a_module(const std::string& modinfo) {
  test::ElfSpec spec;
  spec.type = 1;
  spec.sections.push_back({".modinfo", modinfo});
  return test::build_elf(spec).bytes;
}

TEST(KernelState, TheModuleOfTheRunningKernel) {
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", std::string(kRelease) + "\n");
  fake.write(std::string(kModules) + "modules.dep",
             "kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko\n"
             "updates/dkms/nvidia-uvm.ko: updates/dkms/nvidia.ko\nupdates/dkms/nvidia.ko:\n");
  using namespace std::string_literals;
  fake.write(std::string(kModules) + "updates/dkms/nvidia.ko",
             a_module("alias=x\0version=580.95.05\0license=Dual MIT/GPL\0"s) +
                 "~Module signature appended~\n");
  const KernelFacts facts = observe_kernel(fake.host(), "");
  EXPECT_EQ(facts.release.value, kRelease);
  ASSERT_TRUE(facts.module_file);
  EXPECT_TRUE(facts.module_file.value->there);
  EXPECT_EQ(facts.module_file.value->path, "/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko");
  EXPECT_EQ(facts.module_file.value->version.value, "580.95.05");
  EXPECT_EQ(facts.module_file.value->licence.value, "Dual MIT/GPL");
  EXPECT_EQ(facts.module_file.value->is_signed.value, true);
  EXPECT_EQ(facts.headers.value, false);
}

TEST(KernelState, AKernelWithoutTheModuleIsNotAMachineWithoutModules) {
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", std::string(kRelease) + "\n");
  EXPECT_FALSE(observe_kernel(fake.host(), "").module_file);
  EXPECT_EQ(observe_kernel(fake.host(), "").headers.value, std::nullopt);
  fake.write(std::string(kModules) + "modules.dep", "kernel/fs/ext4/ext4.ko:\n");
  const KernelFacts facts = observe_kernel(fake.host(), "");
  EXPECT_FALSE(facts.module_file);
  EXPECT_EQ(facts.module_file.origin, "/lib/modules/6.8.0-45-generic/modules.dep");
  EXPECT_EQ(facts.installed, std::vector<std::string>{kRelease});
}

TEST(KernelState, CompressedMissingAndDamagedModules) {
  EXPECT_EQ(nvidia_in_modules_dep("extra/nvidia.ko.xz: \n"), "extra/nvidia.ko.xz");
  EXPECT_EQ(nvidia_in_modules_dep("updates/dkms/nvidia-current.ko:\n"),
            "updates/dkms/nvidia-current.ko");
  EXPECT_FALSE(nvidia_in_modules_dep("a/nvidia-drm.ko:\na/i2c-nvidia-gpu.ko: b\n\xff"));
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", kRelease);
  fake.write(std::string(kModules) + "modules.dep", "extra/nvidia.ko:\n");
  EXPECT_FALSE(observe_kernel(fake.host(), "").module_file.value->there);
  fake.write(std::string(kModules) + "extra/nvidia.ko",
             "\x7f"
             "ELF and no more");
  EXPECT_TRUE(observe_kernel(fake.host(), "").module_file.value->version.fault);
}

TEST(KernelState, TheNewestKernelByNumbers) {
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", "6.8.0-9-generic\n");
  for (const char* kernel : {"6.8.0-9-generic", "6.8.0-45-generic"}) {
    fake.write(std::string("lib/modules/") + kernel + "/modules.dep", "");
  }
  fake.make_folder("lib/modules/7.0.0-removed");
  EXPECT_EQ(observe_kernel(fake.host(), "").newest.value, "6.8.0-45-generic");
  fake.write("boot/vmlinuz-6.8.0-50-generic", "");
  fake.write("boot/vmlinuz-0-rescue-99999999", "");
  fake.write("run/reboot-required", "");
  const KernelFacts facts = observe_kernel(fake.host(), "");
  EXPECT_EQ(facts.newest.value, "6.8.0-50-generic");
  EXPECT_EQ(facts.restart_required.value, true);
}

TEST(KernelState, FirmwareOfTheLoadedVersion) {
  const FakeHost fake("linux");
  fake.write("lib/firmware/nvidia/580.95.05/gsp_ga10x.bin", "");
  fake.write("lib/firmware/nvidia/570.133.07/gsp_tu10x.bin", "");
  fake.make_folder("lib/firmware/nvidia/ga102");
  const KernelFacts facts = observe_kernel(fake.host(), "580.95.05");
  EXPECT_EQ(facts.firmware.value, std::vector<std::string>{"gsp_ga10x.bin"});
  EXPECT_EQ(facts.firmware_versions, (std::vector<std::string>{"570.133.07", "580.95.05"}));
  EXPECT_FALSE(observe_kernel(fake.host(), "580.99").firmware);
  EXPECT_FALSE(observe_kernel(fake.host(), "../x").firmware);
}

TEST(KernelState, SecureBootLockdownAndTaint) {
  const FakeHost fake("linux");
  const std::string efi = "sys/firmware/efi/efivars/";
  fake.write(efi + "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
             std::string("\x06\0\0\0\x01", 5));
  fake.write(efi + "SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c", "short");
  fake.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  fake.write("proc/sys/kernel/tainted", "4096\n");
  const KernelGuards guards = observe_guards(fake.host());
  EXPECT_EQ(guards.efi.value, true);
  EXPECT_EQ(guards.secure_boot.value, true);
  EXPECT_EQ(guards.lockdown.value, "integrity");
  EXPECT_EQ(guards.taint.value, 4096U);
  fake.write(efi + "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "\x01");
  fake.write("sys/kernel/security/lockdown", "none");
  fake.write("proc/sys/kernel/tainted", "many");
  EXPECT_TRUE(observe_guards(fake.host()).secure_boot.fault);
  EXPECT_FALSE(observe_guards(fake.host()).lockdown);
  EXPECT_TRUE(observe_guards(fake.host()).taint.fault);
}

TEST(KernelState, AMachineOfTheBiosHasNoSecureBoot) {
  const KernelGuards guards = observe_guards(FakeHost("linux").host());
  EXPECT_EQ(guards.efi.value, false);
  EXPECT_FALSE(guards.secure_boot);
  EXPECT_FALSE(guards.secure_boot.fault);
}

TEST(KernelState, DkmsBuiltForThisKernelOrAnother) {
  const FakeHost fake("linux");
  const std::string dkms = "var/lib/dkms/nvidia/580.95.05/";
  fake.write(dkms + "6.8.0-40-generic/x86_64/module/nvidia.ko.zst", "");
  fake.make_folder("var/lib/dkms/nvidia/580.95.05/source");
  fake.make_folder("var/lib/dkms/virtualbox/7.0/source");
  std::vector<DkmsModule> modules = observe_dkms(fake.host(), kRelease);
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].state, DkmsState::added);
  EXPECT_EQ(modules[0].kernels, std::vector<std::string>{"6.8.0-40-generic"});
  fake.write(dkms + "build/make.log", "error: no member named x\n");
  modules = observe_dkms(fake.host(), kRelease);
  EXPECT_EQ(modules[0].state, DkmsState::broken);
  EXPECT_EQ(modules[0].log, "/var/lib/dkms/nvidia/580.95.05/build/make.log");
  fake.write(dkms + "6.8.0-45-generic/x86_64/module/nvidia.ko", "");
  EXPECT_EQ(observe_dkms(fake.host(), kRelease)[0].state, DkmsState::built);
}

}  // namespace
}  // namespace plumb

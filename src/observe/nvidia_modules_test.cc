// SPDX-License-Identifier: Apache-2.0
#include "observe/nvidia_modules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(NvidiaModules, LoadedOnesWithVersionAndTaint) {
  const FakeHost fake("linux");
  fake.write("sys/module/nvidia/version", "580.159.04\n");
  fake.write("sys/module/nvidia/taint", "O\n");
  fake.write("sys/module/nvidia/initstate", "live\n");
  fake.write("sys/module/nvidia_uvm/initstate", "live\n");
  fake.write("proc/modules", "nouveau 14299136 - - Live 0xffffffffc0400000\n");
  const std::vector<LoadedModule> modules = observe_modules(fake.host());
  ASSERT_EQ(modules.size(), 3U);
  EXPECT_EQ(modules[0].name, "nvidia");
  EXPECT_EQ(modules[0].version.value, "580.159.04");
  EXPECT_EQ(modules[0].taint.value, "O");
  EXPECT_EQ(modules[0].state.value, "live");
  EXPECT_FALSE(modules[1].version);
  EXPECT_EQ(modules[2].name, "nouveau");
  EXPECT_EQ(modules[2].origin, "/proc/modules");
  EXPECT_EQ(observe_flavour(fake.host(), modules).value, ModuleFlavour::open);
}

TEST(NvidiaModules, FlavourByTheVersionFileFirst) {
  const FakeHost fake("linux");
  fake.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec 30 2024\n");
  EXPECT_EQ(observe_flavour(fake.host(), {}).value, ModuleFlavour::proprietary);
  const FakeHost none("linux");
  const auto absent = observe_flavour(none.host(), {});
  EXPECT_FALSE(absent);
  EXPECT_FALSE(absent.fault);
}

TEST(NvidiaModules, OnlyParametersThatExplainSomething) {
  const FakeHost fake("linux");
  fake.write("proc/driver/nvidia/params",
             "ResmanDebugLevel: 4294967295\nDeviceFileMode: 438\nRegistryDwords: \"a=1;b: 2\"\n"
             "no colon\n: \n");
  const auto parameters = observe_parameters(fake.host());
  ASSERT_TRUE(parameters);
  EXPECT_EQ(parameters.value->size(), 2U);
  EXPECT_EQ(parameters.value->at("DeviceFileMode"), "438");
  EXPECT_EQ(parameters.value->at("RegistryDwords"), "a=1;b: 2");
  EXPECT_FALSE(observe_parameters(FakeHost("linux").host()));
}

TEST(NvidiaModules, WhatTheModuleKnowsOfACard) {
  const ModuleCard card = parse_card_information(
      "Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\nGPU UUID: \t GPU-0f000000-0000\n"
      "Video BIOS: \t 96.00.a5.00.1a\nBus Location: \t 0000:00:06.0\nDevice Minor: \t 0\n"
      "GPU Firmware: \t 580.159.04\nGPU Excluded:\t No\n",
      "/x");
  EXPECT_EQ(card.model.value, "NVIDIA H200");
  EXPECT_EQ(card.uuid.value, "GPU-0f000000-0000");
  EXPECT_EQ(card.video_bios.value, "96.00.a5.00.1a");
  EXPECT_EQ(card.minor.value, 0U);
  EXPECT_EQ(card.firmware.value, "580.159.04");
  EXPECT_EQ(card.excluded.value, false);
}

TEST(NvidiaModules, ACardThatWasNeverUsedKnowsLess) {
  const ModuleCard card = parse_card_information(
      "Model: \t\t Unknown\nGPU UUID: \t GPU-\?\?\?\?\?\?\?\?-\?\?\?\?\nVideo BIOS: \t "
      "\?\?.\?\?.\?\?.\?\?.\?\?\nDevice Minor: \t x\nGPU Firmware: \t N/A\n",
      "/x");
  EXPECT_FALSE(card.model);
  EXPECT_FALSE(card.uuid);
  EXPECT_FALSE(card.video_bios);
  EXPECT_FALSE(card.minor);
  EXPECT_FALSE(card.firmware);
  EXPECT_FALSE(card.excluded);
}

TEST(NvidiaModules, MigInstances) {
  const FakeHost fake("linux");
  const std::string mig = "proc/driver/nvidia/capabilities/gpu0/mig/";
  fake.write("proc/driver/nvidia/capabilities/mig/config", "DeviceFileMinor: 1\n");
  fake.make_folder(mig);
  const auto off = observe_mig(fake.host());
  ASSERT_TRUE(off);
  EXPECT_TRUE(off.value->empty());
  fake.write(mig + "gi7/access", "DeviceFileMinor: 60\n");
  fake.write(mig + "gi7/ci0/access", "DeviceFileMinor: 61\n");
  fake.write(mig + "gix/access", "");
  const auto instances = observe_mig(fake.host());
  ASSERT_EQ(instances.value->size(), 1U);
  EXPECT_EQ(instances.value->front().gpu_instance, 7U);
  EXPECT_EQ(instances.value->front().compute_instances, std::vector<std::uint64_t>{0});
  EXPECT_FALSE(observe_mig(FakeHost("linux").host()));
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_state.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <type_traits>

#include "facts/gpu_hardware.h"
#include "observe/fake_host_test.h"
#include "observe/host_files.h"

namespace plumb {
namespace {

using test::FakeHost;

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

/// Walks over all parts of a value as whoever writes snapshots does, with one element of each list.
class Walk {
 public:
  template <class T>
  void operator()(const std::string& name, const T& part) {
    EXPECT_TRUE(names_.insert(name).second) << name << " names two parts";
    visit(part);
  }
  std::size_t parts = 0;

 private:
  template <class T>
  void visit(const T& part) {
    ++parts;
    if constexpr (requires(Walk& inner) { fields(inner, part); }) {
      Walk inner;
      fields(inner, part);
      parts += inner.parts;
    } else if constexpr (std::is_enum_v<T>) {
      EXPECT_FALSE(enum_names(part).front().empty());
    } else if constexpr (requires { part.fault, part.origin; }) {
      visit(part.value);
    } else if constexpr (requires { part.has_value(); }) {
      visit(typename T::value_type{});
    } else if constexpr (kIsList<T>) {
      visit(typename T::value_type{});
    }
  }
  std::set<std::string> names_;
};

TEST(DriverState, EveryPartHasANameOfItsOwn) {
  const DriverState state;
  Walk walk;
  fields(walk, state);
  EXPECT_GT(walk.parts, 150U);
  const HardwareFacts hardware;
  Walk hardware_walk;
  fields(hardware_walk, hardware);
  EXPECT_GT(hardware_walk.parts, 40U);
}

TEST(DriverState, AVariableSetToNothingIsSet) {
  for (const char* system : {"linux", "windows"}) {
    FakeHost fake(system);
    EXPECT_TRUE(observe_gpu_variables(fake.host()).empty());
    fake.set("NVIDIA_VISIBLE_DEVICES", "all");
    fake.set("CUDA_VISIBLE_DEVICES", "");
    const auto variables = observe_gpu_variables(fake.host());
    ASSERT_EQ(variables.size(), 2U);
    EXPECT_EQ(variables[0].name, "CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(variables[0].value, "");
    EXPECT_EQ(variables[1].value, "all");
  }
}

TEST(DriverState, EachSystemHasItsOwnHalf) {
  const DriverState windows = observe_driver_state(FakeHost("windows").host());
  EXPECT_TRUE(windows.windows);
  EXPECT_FALSE(windows.linux_driver);
  const FakeHost fake("linux");
  fake.write("sys/module/nvidia/version", "580.159.04\n");
  fake.write("lib/firmware/nvidia/580.159.04/gsp_ga10x.bin", "");
  const DriverState machine = observe_driver_state(fake.host());
  ASSERT_TRUE(machine.linux_driver);
  EXPECT_FALSE(machine.windows);
  EXPECT_FALSE(machine.wsl);
  EXPECT_TRUE(machine.linux_driver->kernel.firmware);
  EXPECT_EQ(machine.linux_driver->missing_nodes, std::vector<std::string>{"/dev/nvidiactl"});
}

TEST(DriverState, WslHasWindowsDriverAndNoKernelSide) {
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n");
  fake.write("usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05", "elf");
  const DriverState state = observe_driver_state(fake.host());
  ASSERT_TRUE(state.wsl);
  EXPECT_EQ(state.wsl->linux_driver.size(), 1U);
  EXPECT_EQ(state.linux_driver->kernel.release.origin, "");
}

TEST(DriverState, ReadsThisMachine) {
  const DriverState state = observe_driver_state(this_host());
  EXPECT_NE(state.linux_driver.has_value(), state.windows.has_value());
}

TEST(HostFiles, KernelsAreOrderedByNumbers) {
  EXPECT_TRUE(natural_less("6.8.0-9-generic", "6.8.0-45-generic"));
  EXPECT_TRUE(natural_less("6.8", "6.8.1"));
  EXPECT_FALSE(natural_less("6.10", "6.9"));
  EXPECT_FALSE(natural_less("6.08", "6.8"));
  EXPECT_FALSE(natural_less("", ""));
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// What the probes of the system see of made-up Linux machines.
#include "observe/system_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/container_state.h"
#include "observe/cpu_state.h"
#include "observe/disks.h"
#include "observe/fake_host_test.h"
#include "observe/job_state.h"
#include "observe/linux_release.h"
#include "observe/memory_limits.h"
#include "observe/search_paths.h"
#include "observe/wsl_state.h"

namespace plumb {
namespace {

using test::FakeHost;
using List = std::vector<std::string>;

const PathFaults* fault_of(const SearchPath& path, PathFault fault) {
  const auto hit = std::ranges::find(path.faults, fault, &PathFaults::fault);
  return hit == path.faults.end() ? nullptr : &*hit;
}

TEST(LinuxSystem, ReleaseKernelAndCLibrary) {
  FakeHost fake("linux");
  fake.write("etc/os-release",
             "# comment\nPRETTY_NAME=\"Ubuntu 24.04.2 LTS\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n"
             "ID_LIKE='debian'\nNAME=\"a \\\"b\\\"\"\nnonsense\n");
  fake.write("proc/sys/kernel/osrelease", "6.8.0-60-generic\n");
  fake.write("lib/x86_64-linux-gnu/libc.so.6",
             std::string("\x7f"
                         "ELF\0GNU C Library (Ubuntu GLIBC 2.39-0ubuntu8.9) stable release "
                         "version 2.39.\0",
                         80));
  const LinuxRelease release = observe_linux_release(fake.host());
  EXPECT_EQ(release.id.value, "ubuntu");
  EXPECT_EQ(release.version_id.value, "24.04");
  EXPECT_EQ(release.id_like.value, "debian");
  EXPECT_EQ(release.pretty_name.value, "Ubuntu 24.04.2 LTS");
  EXPECT_EQ(release.kernel.value, "6.8.0-60-generic");
  EXPECT_EQ(release.glibc.value, "2.39");
  EXPECT_FALSE(release.musl);
}

TEST(LinuxSystem, MuslAndADamagedCLibrary) {
  FakeHost fake("linux");
  EXPECT_FALSE(observe_linux_release(fake.host()).glibc.fault);
  fake.write("lib/ld-musl-x86_64.so.1", "elf");
  fake.write("lib64/libc.so.6", "cut off");
  const LinuxRelease release = observe_linux_release(fake.host());
  EXPECT_EQ(release.musl.value, "/lib/ld-musl-x86_64.so.1");
  EXPECT_FALSE(release.glibc);
  EXPECT_TRUE(release.glibc.fault);
  EXPECT_FALSE(release.id);
}

TEST(LinuxSystem, ProcessorOfAKeptCpuinfo) {
  FakeHost fake("linux");
  const std::string flags =
      "flags\t\t: fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm "
      "movbe xsave hypervisor\n";
  fake.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654\n" + flags +
                                 "\nprocessor\t: 1\nmodel name\t: AMD EPYC 9654\n" + flags);
  fake.write("sys/class/dmi/id/sys_vendor", "QEMU\n");
  const CpuFacts cpu = observe_cpu(fake.host());
  EXPECT_EQ(cpu.model.value, "AMD EPYC 9654");
  EXPECT_EQ(cpu.logical.value, 2U);
  EXPECT_EQ(cpu.level.value, "x86-64-v3");
  EXPECT_EQ(cpu.avx2.value, true);
  EXPECT_EQ(cpu.avx512f.value, false);
  EXPECT_EQ(cpu.hypervisor.value, true);
  EXPECT_EQ(cpu.vendor.value, "QEMU");
  EXPECT_FALSE(cpu.product);
}

TEST(LinuxSystem, AnArmProcessorHasNoLevel) {
  FakeHost fake("linux");
  fake.host().machine = "aarch64";
  fake.write("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
  const CpuFacts cpu = observe_cpu(fake.host());
  EXPECT_EQ(cpu.logical.value, 1U);
  EXPECT_FALSE(cpu.level);
  EXPECT_FALSE(cpu.avx);
}

TEST(LinuxSystem, MemoryOfTheMachineAndOfItsGroups) {
  FakeHost fake("linux");
  fake.write("proc/meminfo",
             "MemTotal:       16384 kB\nMemAvailable:    8192 kB\n"
             "SwapTotal: 0 kB\nSwapFree: many kB\n");
  fake.write("proc/self/cgroup", "0::/slice/job\n");
  fake.write("sys/fs/cgroup/slice/job/memory.max", "max\n");
  fake.write("sys/fs/cgroup/slice/memory.max", "4194304\n");
  fake.write("sys/fs/cgroup/slice/memory.current", "1000\n");
  const MemoryFacts memory = observe_memory(fake.host());
  EXPECT_EQ(memory.total_bytes.value, 16U << 20);
  EXPECT_EQ(memory.available_bytes.value, 8U << 20);
  EXPECT_EQ(memory.swap_total_bytes.value, 0U);
  EXPECT_TRUE(memory.swap_free_bytes.fault);
  ASSERT_EQ(memory.group_limits.size(), 1U);
  EXPECT_EQ(memory.group_limits[0].origin, "/sys/fs/cgroup/slice/memory.max");
  EXPECT_EQ(memory.group_limits[0].used_bytes, 1000U);
  EXPECT_EQ(memory.group_limit_bytes.value, 4U << 20);
}

TEST(LinuxSystem, MemoryLimitOfVersion1) {
  FakeHost fake("linux");
  fake.write("proc/self/cgroup", "4:memory:/docker/x\n0::/\n");
  fake.write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "2097152\n");
  fake.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const MemoryFacts memory = observe_memory(fake.host());
  ASSERT_EQ(memory.group_limits.size(), 1U);
  EXPECT_EQ(memory.group_limit_bytes.value, 2U << 20);
}

TEST(LinuxSystem, LimitsOfTheProcess) {
  FakeHost fake("linux");
  fake.write("proc/self/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max stack size            8388608              unlimited            bytes     \n"
             "Max open files            1024                 1048576              files     \n"
             "Max locked memory         65536                x                    bytes     \n");
  fake.write("proc/self/cgroup", "0::/a\n");
  fake.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  fake.write("sys/fs/cgroup/a/cpuset.cpus.effective", "0-3,8\n");
  const LimitFacts limits = observe_limits(fake.host());
  ASSERT_TRUE(limits.open_files);
  EXPECT_EQ(limits.open_files.value->soft, 1024U);
  EXPECT_EQ(limits.open_files.value->hard, 1048576U);
  ASSERT_TRUE(limits.stack_bytes);
  EXPECT_FALSE(limits.stack_bytes.value->hard);
  EXPECT_TRUE(limits.locked_memory_bytes.fault);
  EXPECT_TRUE(limits.processes.fault);
  EXPECT_EQ(limits.cpu_quota.value, 1.5);
  EXPECT_EQ(limits.cpuset.value, "0-3,8");
  EXPECT_FALSE(limits.shm_total_bytes);  // only the running system can tell
}

constexpr const char* kMounts =
    "1 0 0:1 / / rw - overlay overlay rw\n"
    "2 1 0:2 / /home rw shared:1 - nfs4 server:/home rw\n"
    "3 1 0:3 / /data\\040disk rw - ext4 /dev/sdb rw\n"
    "4 1 0:4 /usr/lib/libcuda.so.570.86.15 /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15 ro - "
    "ext4 /dev/sda rw\n"
    "5 1 0:5 /nvidia0 /dev/nvidia0 rw - devtmpfs udev rw\nbroken line\n\n";

TEST(MountTable, TellsNetworkFileSystemsByName) {
  const MountTable table = MountTable::parse(kMounts);
  ASSERT_EQ(table.mounts().size(), 5U);
  EXPECT_EQ(table.holding("/home/me/x")->type, "nfs4");
  EXPECT_EQ(table.holding("/homes")->type, "overlay");
  EXPECT_EQ(table.holding("/data disk/显卡")->type, "ext4");
  EXPECT_TRUE(is_network_type("nfs4"));
  EXPECT_TRUE(is_network_type("autofs"));
  EXPECT_TRUE(is_network_type("wekafs"));
  EXPECT_FALSE(is_network_type("ext4"));
  EXPECT_EQ(MountTable{}.holding("/"), nullptr);
  EXPECT_EQ(MountTable{}.holding("no path"), nullptr);
  EXPECT_EQ(table.holding("relative")->type, "overlay");
  EXPECT_EQ(MountTable::parse(std::string(kMounts) + "6 1 0:6 / /home rw - xfs x rw\n")
                .holding("/home")
                ->type,
            "xfs");
}

TEST(LinuxSystem, DisksOnTheNetworkAreNotAsked) {
  FakeHost fake("linux");
  fake.host().home = "/home/me";
  fake.set("HF_HOME", "/data disk/显卡 🤗");
  const auto disks = observe_disks(fake.host(), MountTable::parse(kMounts), "/home/me/venv");
  const auto disk = [&](DiskPurpose purpose) {
    return *std::ranges::find(disks, purpose, &DiskFacts::purpose);
  };
  EXPECT_EQ(disk(DiskPurpose::root).type.value, "overlay");
  EXPECT_EQ(disk(DiskPurpose::pip_cache).path, "/home/me/.cache/pip");
  EXPECT_TRUE(disk(DiskPurpose::pip_cache).on_network);
  EXPECT_TRUE(disk(DiskPurpose::pip_cache).total_bytes.fault);
  EXPECT_TRUE(disk(DiskPurpose::environment).on_network);
  EXPECT_EQ(disk(DiskPurpose::hf_cache).origin, "HF_HOME");
  EXPECT_EQ(disk(DiskPurpose::hf_cache).mount, "/data disk");
  EXPECT_FALSE(disk(DiskPurpose::hf_cache).on_network);
  EXPECT_FALSE(disk(DiskPurpose::hf_cache).total_bytes);
}

TEST(LinuxSystem, FaultsOfTheLibraryPath) {
  FakeHost fake("linux");
  fake.make_folder("usr/lib/显卡 🤗");
  fake.make_folder("usr/local/cuda/lib64/stubs");
  fake.make_folder("usr/local/cuda/compat");
  fake.write("usr/lib/file", "x");
  fake.set("LD_LIBRARY_PATH",
           "/usr/lib/显卡 🤗::/usr/local/cuda/lib64/stubs/;/usr/local/cuda/compat:/gone:lib:"
           "/usr/lib/file:/gone");
  const SearchPaths paths = observe_search_paths(fake.host(), {});
  const SearchPath& path = paths.library_path;
  EXPECT_EQ(path.entries, 8U);
  ASSERT_NE(fault_of(path, PathFault::missing), nullptr);
  EXPECT_EQ(fault_of(path, PathFault::missing)->examples, List{"/gone"});
  for (const PathFault fault :
       {PathFault::empty, PathFault::stubs, PathFault::compat, PathFault::relative,
        PathFault::not_a_folder, PathFault::duplicate}) {
    ASSERT_NE(fault_of(path, fault), nullptr) << static_cast<int>(fault);
    EXPECT_EQ(fault_of(path, fault)->count, 1U);
  }
  EXPECT_FALSE(paths.preload);
  EXPECT_FALSE(paths.process.text);
}

TEST(LinuxSystem, ThousandsOfPathEntries) {
  FakeHost fake("linux");
  std::string path;
  for (int i = 0; i < 20'000; ++i) {
    path += "/gone/" + std::to_string(i) + ":";
  }
  fake.set("PATH", path);
  const SearchPath found = observe_search_paths(fake.host(), {}).process;
  EXPECT_EQ(found.entries, 20'001U);
  EXPECT_EQ(found.length, path.size());
  EXPECT_LE(found.text.value->size(), 65'536U);
  EXPECT_LE(fault_of(found, PathFault::missing)->examples.size(), 8U);
}

TEST(LinuxSystem, EntriesOnTheNetworkAreNotLookedAt) {
  FakeHost fake("linux");
  fake.set("PATH", "/home/me/bin");
  const auto paths = observe_search_paths(fake.host(), MountTable::parse(kMounts));
  EXPECT_NE(fault_of(paths.process, PathFault::on_network), nullptr);
  EXPECT_EQ(fault_of(paths.process, PathFault::missing), nullptr);
}

TEST(Container, NoMarksNoContainer) {
  FakeHost fake("linux");
  fake.write("proc/1/cgroup", "0::/init.scope\n");
  fake.write("run/systemd/container", "wsl\n");
  const ContainerState state = observe_container(fake.host(), {});
  EXPECT_EQ(state.kind, ContainerKind::none);
  EXPECT_TRUE(state.marks.empty());
}

TEST(Container, TheMostParticularMarkNamesTheKind) {
  FakeHost fake("linux");
  fake.write(".dockerenv");
  EXPECT_EQ(observe_container(fake.host(), {}).kind, ContainerKind::docker);
  fake.set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  EXPECT_EQ(observe_container(fake.host(), {}).kind, ContainerKind::kubernetes);
  fake.make_folder(".singularity.d");
  const ContainerState state = observe_container(fake.host(), {});
  EXPECT_EQ(state.kind, ContainerKind::apptainer);
  EXPECT_EQ(state.marks, (List{"/.dockerenv", "/.singularity.d", "KUBERNETES_SERVICE_HOST"}));
}

TEST(Container, AnImageUnpackedIntoAVirtualMachineIsNotSurelyDocker) {
  FakeHost fake("linux");
  fake.write(".dockerenv");
  const auto on = [&](const std::string& type) {
    return observe_container(fake.host(),
                             MountTable::parse("1 0 0:1 / / rw - " + type + " /dev/vda rw\n"));
  };
  EXPECT_EQ(on("ext4").kind, ContainerKind::unknown);
  EXPECT_EQ(on("overlay").kind, ContainerKind::docker);
  EXPECT_EQ(on("overlay").marks, (List{"/.dockerenv", "/ is an overlay"}));
}

TEST(Container, KindsByTheirOwnMarks) {
  const auto kind = [](const char* file, const char* text) {
    FakeHost fake("linux");
    fake.write(file, text);
    return observe_container(fake.host(), {}).kind;
  };
  EXPECT_EQ(kind("proc/1/cgroup", "0::/system.slice/docker-0123.scope\n"), ContainerKind::docker);
  EXPECT_EQ(kind("proc/1/cgroup", "0::/lxc.payload.x\n"), ContainerKind::lxc);
  EXPECT_EQ(kind("proc/1/cgroup", "3:cpu:/kubepods/pod1/x\n"), ContainerKind::kubernetes);
  EXPECT_EQ(kind("run/systemd/container", "systemd-nspawn\n"), ContainerKind::nspawn);
  EXPECT_EQ(kind("run/systemd/container", "something\n"), ContainerKind::unknown);
}

TEST(Container, PodmanSaysWhoItIs) {
  FakeHost fake("linux");
  fake.write("run/.containerenv", "engine=\"podman-5.6.2\"\nname=\"x\"\nrootless=1\n");
  fake.write("proc/self/cgroup", "0::/user.slice/libpod-1\n");
  const ContainerState state = observe_container(fake.host(), {});
  EXPECT_EQ(state.kind, ContainerKind::podman);
  EXPECT_EQ(state.engine.value, "podman-5.6.2");
  EXPECT_EQ(state.rootless.value, true);
  EXPECT_EQ(state.group.value, "/user.slice/libpod-1");
}

TEST(Container, AGpuThatWasPassedIn) {
  FakeHost fake("linux");
  fake.write(".dockerenv");
  fake.write("dev/nvidia0");
  fake.write("dev/null");
  fake.write("usr/bin/nvidia-smi", "");
  fake.set("NVIDIA_VISIBLE_DEVICES", "all");
  fake.set("NVIDIA_API_KEY", "hidden");
  const ContainerState state = observe_container(fake.host(), MountTable::parse(kMounts));
  EXPECT_EQ(state.device_nodes, List{"/dev/nvidia0"});
  EXPECT_EQ(state.gpu_mounts,
            (List{"/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15", "/dev/nvidia0"}));
  EXPECT_EQ(state.mounted_driver.value, "570.86.15");
  EXPECT_EQ(state.root_type.value, "overlay");
  EXPECT_EQ(state.empty_files, List{"/usr/bin/nvidia-smi"});
  ASSERT_EQ(state.wishes.size(), 2U);
  EXPECT_EQ(state.wishes[0].value, "***");
  EXPECT_EQ(state.wishes[1].value, "all");
}

TEST(ContainerToolkit, ConfigurationOfTheHost) {
  FakeHost fake("linux");
  fake.write("etc/nvidia-container-runtime/config.toml",
             "#accept = true\n[nvidia-container-cli]\nno-cgroups = true # rootless\n"
             "[nvidia-container-runtime]\nmode = \"cdi\"\n");
  fake.write("etc/docker/daemon.json",
             R"({"default-runtime": "nvidia", "runtimes": {"nvidia": {"path": "x"}}})");
  fake.write("usr/bin/nvidia-ctk", "elf");
  fake.write("sys/module/nvidia/version", "580.10.01\n");
  fake.write("etc/cdi/nvidia.yaml",
             "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ncontainerEdits:\n  mounts:\n"
             "  - hostPath: /usr/lib/libcuda.so.570.86.15\n  - hostPath: /usr/lib/libcuda.so.1\n");
  fake.write("run/cdi/new.json", R"({"kind": "nvidia.com/gpu", "m": "libcuda.so.580.10.01"})");
  const ContainerToolkit toolkit = observe_container_toolkit(fake.host());
  EXPECT_EQ(toolkit.no_cgroups.value, true);
  EXPECT_EQ(toolkit.mode.value, "cdi");
  EXPECT_EQ(toolkit.docker_has_nvidia.value, true);
  EXPECT_EQ(toolkit.docker_default.value, "nvidia");
  EXPECT_EQ(toolkit.programs, List{"/usr/bin/nvidia-ctk"});
  ASSERT_EQ(toolkit.cdi.size(), 2U);
  EXPECT_EQ(toolkit.cdi[0].kind, "nvidia.com/gpu");
  EXPECT_EQ(toolkit.cdi[0].driver_versions, List{"570.86.15"});
  EXPECT_TRUE(toolkit.cdi[0].stale);
  EXPECT_EQ(toolkit.cdi[1].kind, "nvidia.com/gpu");
  EXPECT_FALSE(toolkit.cdi[1].stale);
}

TEST(ContainerToolkit, DamagedFilesAreUnreadableAndMissingOnesAbsent) {
  FakeHost fake("linux");
  EXPECT_FALSE(observe_container_toolkit(fake.host()).docker_has_nvidia.fault);
  fake.write("etc/docker/daemon.json", std::string(100'000, '['));
  EXPECT_TRUE(observe_container_toolkit(fake.host()).docker_has_nvidia.fault);
  fake.write("etc/docker/daemon.json", R"({"runtimes": [], "default-runtime": 7})");
  const ContainerToolkit toolkit = observe_container_toolkit(fake.host());
  EXPECT_EQ(toolkit.docker_has_nvidia.value, false);
  EXPECT_FALSE(toolkit.docker_default);
}

TEST(Wsl, SeenFromInside) {
  FakeHost fake("linux");
  EXPECT_FALSE(observe_wsl(fake.host()).version);
  fake.write("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n");
  fake.write("etc/wsl.conf", "\xef\xbb\xbf[Boot]\r\nsystemd = true\r\n[gpu]\r\nenabled=false\r\n");
  fake.write("proc/sys/fs/binfmt_misc/WSLInterop-late", "enabled\n");
  fake.make_folder("usr/lib/wsl/lib");
  fake.set("WSL_DISTRO_NAME", "Ubuntu 显卡");
  const WslState wsl = observe_wsl(fake.host());
  EXPECT_EQ(wsl.version.value, 2U);
  EXPECT_EQ(wsl.distribution.value, "Ubuntu 显卡");
  EXPECT_EQ(wsl.interop.value, true);
  EXPECT_EQ(wsl.gpu_device.value, false);
  EXPECT_EQ(wsl.library_folder.value, true);
  ASSERT_TRUE(wsl.wsl_conf);
  ASSERT_EQ(wsl.wsl_conf.value->size(), 2U);
  EXPECT_EQ(wsl.wsl_conf.value->at(0).section, "boot");
  EXPECT_EQ(wsl.wsl_conf.value->at(1).value, "false");
}

TEST(Wsl, Version1ByItsKernel) {
  FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
  EXPECT_EQ(observe_wsl(fake.host()).version.value, 1U);
}

TEST(Jobs, SlurmAndOthers) {
  FakeHost fake("linux");
  EXPECT_TRUE(observe_jobs(fake.host()).schedulers.empty());
  fake.set("SLURM_JOB_ID", "17");
  fake.set("SLURM_JOB_GPUS", "4,5");
  fake.set("SLURM_JOB_ACCOUNT", "private");
  fake.set("PBS_JOBID", "x");
  fake.set("JOB_ID", "1");
  const JobState jobs = observe_jobs(fake.host());
  EXPECT_EQ(jobs.schedulers, (List{"slurm", "pbs"}));
  ASSERT_EQ(jobs.slurm.size(), 2U);
  EXPECT_EQ(jobs.slurm[0].name, "SLURM_JOB_GPUS");
  EXPECT_EQ(jobs.slurm[0].value, "4,5");
}

TEST(Board, JetsonSaysItsRelease) {
  EXPECT_EQ(parse_tegra_release("# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref"),
            "35.4.1");
  EXPECT_FALSE(parse_tegra_release("# R (release), REVISION: "));
  EXPECT_FALSE(parse_tegra_release(""));
  FakeHost fake("linux");
  fake.write("proc/device-tree/model", std::string("NVIDIA Jetson Orin Nano\0", 24));
  const BoardState board = observe_board(fake.host());
  EXPECT_EQ(board.model.value, "NVIDIA Jetson Orin Nano");
  EXPECT_FALSE(board.l4t);
  EXPECT_EQ(board.vgpu_licence.value, false);
}

TEST(SystemState, AnEmptyMachineIsNoTrouble) {
  for (const char* system : {"linux", "windows"}) {
    FakeHost fake(system);
    const SystemState state = observe_system_state(fake.host());
    EXPECT_FALSE(state.linux_release.kernel);
    EXPECT_FALSE(state.windows.build);
    EXPECT_EQ(state.container.kind, ContainerKind::none);
    EXPECT_FALSE(state.disks.empty());
  }
}

TEST(SystemState, OfThisMachine) {
  const Host host = this_host();
  const SystemState state = observe_system_state(host, host.current_folder);
  EXPECT_TRUE(state.memory.total_bytes);
  EXPECT_TRUE(state.paths.process.text);
  const auto root = std::ranges::find(state.disks, DiskPurpose::root, &DiskFacts::purpose);
  ASSERT_NE(root, state.disks.end());
  EXPECT_TRUE(root->total_bytes || root->on_network);
  EXPECT_EQ(state.linux_release.kernel.value.has_value(), !host.is_windows());
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// What the probes of the system see of made-up Windows machines.
#include "observe/windows_system.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/secrets.h"
#include "observe/cpu_state.h"
#include "observe/disks.h"
#include "observe/fake_host_test.h"
#include "observe/memory_limits.h"
#include "observe/process_variables.h"
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

/// A REG_SZ line of an export.
std::string text_value(const std::string& name, const std::string& value) {
  std::string line = "\"" + name + "\"=\"";
  for (const char c : value) {
    line += c == '\\' || c == '"' ? "\\" : "";
    line += c;
  }
  return line + "\"\n";
}

/// A REG_EXPAND_SZ (2) or REG_MULTI_SZ (7) line of ASCII text.
std::string hex_value(const std::string& name, int type, const std::string& value) {
  std::string line = "\"" + name + "\"=hex(" + std::to_string(type) + "):";
  constexpr const char* kDigits = "0123456789abcdef";
  for (const char c : value + std::string(2, '\0')) {
    line += kDigits[c >> 4 & 15];
    line += kDigits[c & 15];
    line += ",00,";
  }
  line.pop_back();
  return line + "\n";
}

const std::string kMachineKey =
    "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment]\n";
const std::string kUserKey = "[HKEY_CURRENT_USER\\Environment]\n";

TEST(WindowsSystem, ReleaseAndSettings) {
  FakeHost fake("windows");
  fake.host().registry =
      registry_of_export(R"(
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion]
"ProductName"="Windows 10 Pro"
"CurrentBuild"="26100"
"UBR"=dword:0000122c
"DisplayVersion"="24H2"
"EditionID"="Professional"
"InstallationType"="Client"
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\FileSystem]
"LongPathsEnabled"=dword:00000001
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Nls\CodePage]
"ACP"="936"
"OEMCP"=dword:0000fde9
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\SecureBoot\State]
"UEFISecureBootEnabled"=dword:00000000
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows Defender\Real-Time Protection]
"DisableRealtimeMonitoring"=dword:00000000
[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows Defender\)"
                         R"(Windows Defender Exploit Guard\Controlled Folder Access]
"EnableControlledFolderAccess"="1"
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\CI\Policy]
"VerifiedAndReputablePolicyState"=dword:00000001
)");
  const WindowsSystem system = observe_windows_system(fake.host());
  EXPECT_EQ(system.build.value, 26100U);
  EXPECT_EQ(system.revision.value, 4652U);
  EXPECT_EQ(system.release.value, "24H2");
  EXPECT_EQ(system.edition.value, "Professional");
  EXPECT_EQ(system.is_windows_11.value, true);
  EXPECT_EQ(system.long_paths.value, true);
  EXPECT_EQ(system.ansi_page.value, 936U);
  EXPECT_EQ(system.oem_page.value, 65001U);
  EXPECT_EQ(system.secure_boot.value, false);
  EXPECT_EQ(system.defender_real_time.value, true);
  EXPECT_EQ(system.controlled_folder_access.value, FolderAccess::block);
  EXPECT_EQ(system.smart_app_control.value, AppControl::enforced);
  EXPECT_FALSE(system.developer_mode);
}

TEST(WindowsSystem, AServerIsNoWindows11AndAnOldReleaseHasAnId) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion]
"CurrentBuild"="26100"
"ReleaseId"="1809"
"InstallationType"="Server Core"
)");
  const WindowsSystem system = observe_windows_system(fake.host());
  EXPECT_EQ(system.is_windows_11.value, false);
  EXPECT_EQ(system.release.value, "1809");
}

TEST(WindowsSystem, ValuesOfOtherTypesAreUnreadable) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion]
"CurrentBuild"="many"
"UBR"=hex:01,02,03
"EditionID"=dword:00000001
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\CI\Policy]
"VerifiedAndReputablePolicyState"=dword:00000063
)");
  const WindowsSystem system = observe_windows_system(fake.host());
  EXPECT_TRUE(system.build.fault);
  EXPECT_TRUE(system.revision.fault);
  EXPECT_TRUE(system.edition.fault);
  EXPECT_TRUE(system.smart_app_control.fault);
  EXPECT_FALSE(system.is_windows_11);
}

TEST(WindowsSystem, VisualCppRuntimes) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\X64]
"Version"="v14.44.35211.00"
"Installed"=dword:00000001
[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\VisualStudio\14.0\VC\Runtimes\x86]
"Version"="v14.29.30133.00"
"Installed"=dword:00000001
)");
  fake.write("Windows/System32/vcruntime140.dll", test::dll_of_version({14, 44, 35211, 0}));
  fake.write("Windows/System32/msvcp140.dll", "MZ and no more");
  const WindowsSystem system = observe_windows_system(fake.host());
  ASSERT_EQ(system.vc_runtimes.size(), 2U);
  EXPECT_EQ(system.vc_runtimes[0].machine, "x64");
  EXPECT_EQ(system.vc_runtimes[0].version.value, "14.44.35211.00");
  EXPECT_EQ(system.vc_runtimes[0].installed.value, true);
  EXPECT_EQ(system.vc_runtimes[1].machine, "x86");
  const auto file = [&](const char* name) {
    return std::ranges::find(system.vc_files, name, &VcFile::name)->version;
  };
  EXPECT_EQ(file("vcruntime140.dll").value, "14.44.35211.0");
  EXPECT_TRUE(file("msvcp140.dll").fault);
  EXPECT_FALSE(file("vcruntime140_1.dll").value);
  EXPECT_FALSE(file("vcruntime140_1.dll").fault);
}

TEST(WindowsSystem, PageFiles) {
  EXPECT_TRUE(parse_page_file("?:\\pagefile.sys").system_managed);
  EXPECT_TRUE(parse_page_file("C:\\pagefile.sys 0 0").system_managed);
  const PageFile fixed = parse_page_file("D:\\my files\\pagefile.sys 1024 4096");
  EXPECT_EQ(fixed.path, "D:\\my files\\pagefile.sys");
  EXPECT_FALSE(fixed.system_managed);
  EXPECT_EQ(fixed.initial_mib, 1024U);
  EXPECT_EQ(fixed.maximum_mib, 4096U);
  EXPECT_EQ(parse_page_file("").path, "");

  FakeHost fake("windows");
  const std::string key =
      "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory "
      "Management]\n";
  EXPECT_FALSE(observe_memory(fake.host()).page_files);
  fake.host().registry = registry_of_export(key + "\"PagingFiles\"=hex(7):00,00\n");
  ASSERT_TRUE(observe_memory(fake.host()).page_files);  // switched off
  EXPECT_TRUE(observe_memory(fake.host()).page_files.value->empty());
  fake.host().registry =
      registry_of_export(key + hex_value("PagingFiles", 7, "?:\\pagefile.sys") +
                         hex_value("ExistingPageFiles", 7, "\\??\\C:\\pagefile.sys"));
  const MemoryFacts memory = observe_memory(fake.host());
  ASSERT_EQ(memory.page_files.value->size(), 1U);
  EXPECT_EQ(memory.active_files.value, List{"C:\\pagefile.sys"});
  EXPECT_FALSE(memory.total_bytes);
}

TEST(WindowsSystem, ProcessorByTheRegistry) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_LOCAL_MACHINE\HARDWARE\DESCRIPTION\System\CentralProcessor\0]
"ProcessorNameString"="13th Gen Intel(R) Core(TM) i7-13700H   "
[HKEY_LOCAL_MACHINE\HARDWARE\DESCRIPTION\System\CentralProcessor\1]
[HKEY_LOCAL_MACHINE\HARDWARE\DESCRIPTION\System\BIOS]
"SystemManufacturer"="LENOVO"
)");
  const CpuFacts cpu = observe_cpu(fake.host());
  EXPECT_EQ(cpu.model.value, "13th Gen Intel(R) Core(TM) i7-13700H");
  EXPECT_EQ(cpu.logical.value, 2U);
  EXPECT_EQ(cpu.vendor.value, "LENOVO");
  EXPECT_FALSE(cpu.product);
  EXPECT_FALSE(cpu.avx);
}

TEST(WindowsPath, FaultsOfEntries) {
  FakeHost fake("windows");
  fake.make_folder("Windows/System32");
  fake.make_folder("显卡 🤗");
  const std::string path =
      "%SystemRoot%\\System32;C:\\windows\\system32\\;\"C:\\显卡 🤗\";bin;"
      "C:\\gone;D:\\other;\\\\server\\share;%NONE%\\x;;C:\\" +
      std::string(300, 'x');
  fake.set("PATH", path);
  const SearchPath found = observe_search_paths(fake.host(), {}).process;
  EXPECT_EQ(found.entries, 9U);
  const auto count = [&](PathFault fault) {
    const PathFaults* hit = fault_of(found, fault);
    return hit == nullptr ? 0U : hit->count;
  };
  EXPECT_EQ(count(PathFault::duplicate), 1U);
  EXPECT_EQ(count(PathFault::quoted), 1U);
  EXPECT_EQ(count(PathFault::not_ascii), 1U);
  EXPECT_EQ(count(PathFault::relative), 1U);
  EXPECT_EQ(count(PathFault::missing), 2U);
  EXPECT_EQ(count(PathFault::other_drive), 1U);
  EXPECT_EQ(count(PathFault::on_network), 1U);
  EXPECT_EQ(count(PathFault::not_expanded), 1U);
  EXPECT_EQ(count(PathFault::too_long), 1U);
  EXPECT_EQ(fault_of(found, PathFault::missing)->examples.front(), "C:\\gone");
}

TEST(WindowsPath, ARegistryThatTheProcessDoesNotKnowYet) {
  FakeHost fake("windows");
  fake.make_folder("Windows");
  fake.set("PATH", "c:\\windows;C:\\venv\\Scripts");
  fake.set("CUDA_PATH", "C:\\CUDA\\v12.4");
  fake.host().registry = registry_of_export(
      kMachineKey + hex_value("Path", 2, "%SystemRoot%\\;C:\\CUDA\\v12.8\\bin") +
      text_value("CUDA_PATH", "C:\\CUDA\\v12.8") + kUserKey + text_value("Path", "C:\\Windows"));
  const SearchPaths paths = observe_search_paths(fake.host(), {});
  EXPECT_EQ(paths.machine.registry_type, 2U);
  EXPECT_EQ(paths.user.registry_type, 1U);
  EXPECT_EQ(paths.only_in_registry, List{"C:\\CUDA\\v12.8\\bin"});
  EXPECT_EQ(paths.machine_entries_in_user, 1U);
  EXPECT_EQ(paths.cuda_path.value, "C:\\CUDA\\v12.4");
  EXPECT_EQ(paths.cuda_path_machine.value, "C:\\CUDA\\v12.8");
  EXPECT_FALSE(paths.cuda_path_user);
  EXPECT_FALSE(paths.user_cut_by_setx);
}

TEST(WindowsPath, VariablesInAPlainTextNeverExpand) {
  FakeHost fake("windows");
  fake.make_folder("Windows");
  fake.host().registry =
      registry_of_export(kMachineKey + text_value("Path", "%SystemRoot%;C:\\Windows"));
  const SearchPath machine = observe_search_paths(fake.host(), {}).machine;
  ASSERT_NE(fault_of(machine, PathFault::not_expanded), nullptr);
  EXPECT_EQ(fault_of(machine, PathFault::missing), nullptr);
}

TEST(WindowsPath, TheCutThatSetxMakes) {
  FakeHost fake("windows");
  fake.make_folder("Windows");
  std::string user = "C:\\Windows";
  while (user.size() < 1020) {
    user += ";C:\\Windows";
  }
  const auto is_cut = [&](std::string path) {
    fake.host().registry = registry_of_export(kUserKey + text_value("Path", path));
    return observe_search_paths(fake.host(), {}).user_cut_by_setx;
  };
  std::string cut = user.substr(0, 1010);
  cut = cut.substr(0, cut.rfind(';')) + ";C:\\Program Files\\NVI";
  cut.resize(1024, 'D');
  EXPECT_TRUE(is_cut(cut));
  EXPECT_FALSE(is_cut(cut + "longer"));
  EXPECT_FALSE(is_cut("C:\\gone"));
  std::string whole = user.substr(0, user.rfind(';', 1000));
  whole += ";C:\\Windows";
  EXPECT_FALSE(is_cut(whole));
}

TEST(WindowsPath, AValueOfAnotherTypeIsUnreadable) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(kUserKey + "\"Path\"=dword:00000001\n");
  const SearchPaths paths = observe_search_paths(fake.host(), {});
  EXPECT_TRUE(paths.user.text.fault);
  EXPECT_EQ(paths.user.registry_type, 4U);
  EXPECT_EQ(paths.user.entries, 0U);
}

TEST(WindowsPath, ThousandsOfEntries) {
  FakeHost fake("windows");
  std::string path;
  for (int i = 0; i < 20'000; ++i) {
    path += "C:\\gone\\" + std::to_string(i) + ";";
  }
  fake.set("PATH", path);
  const SearchPath found = observe_search_paths(fake.host(), {}).process;
  EXPECT_EQ(found.entries, 20'000U);
  EXPECT_EQ(fault_of(found, PathFault::missing)->count, 5000U);
}

TEST(Proxies, CredentialsNeverLeave) {
  EXPECT_EQ(mask_secrets("http://user:pass@host:80"), "http://***@host:80");
  EXPECT_EQ(mask_secrets("user:p@ss/w:rd@host:80"), "***@host:80");
  EXPECT_EQ(mask_secrets("http=u:p@host;https=u:p@host"), "***@host");
  EXPECT_EQ(mask_secrets("http://host/proxy.pac?token=1"), "http://host/proxy.pac?***");
  EXPECT_EQ(mask_secrets("host:80"), "host:80");
  EXPECT_EQ(mask_secrets("@"), "@");
}

TEST(Proxies, VariablesAndInternetSettings) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Internet Settings]
"ProxyEnable"=dword:00000001
"ProxyServer"="user:secret@host:8080"
"ProxyOverride"="*.local;<local>"
)");
  fake.set("HTTPS_PROXY", "http://me:secret@proxy:3128");
  fake.set("NO_PROXY", "localhost");
  fake.set("SSL_CERT_FILE", "C:\\certs\\公司.pem");
  fake.set("REQUESTS_CA_BUNDLE", "C:\\gone.pem");
  fake.write("certs/公司.pem", "x");
  const ProxyFacts proxies = observe_proxies(fake.host(), {});
  ASSERT_EQ(proxies.variables.size(), 2U);
  EXPECT_EQ(proxies.variables[0].value, "http://***@proxy:3128");
  EXPECT_TRUE(proxies.variables[0].masked);
  EXPECT_FALSE(proxies.variables[1].masked);
  EXPECT_EQ(proxies.enabled.value, true);
  EXPECT_EQ(proxies.server.value, "***@host:8080");
  EXPECT_EQ(proxies.exceptions.value, "*.local;<local>");
  EXPECT_FALSE(proxies.script);
  ASSERT_EQ(proxies.certificates.size(), 2U);
  EXPECT_TRUE(proxies.certificates[0].there);
  EXPECT_FALSE(proxies.certificates[1].there);
}

TEST(Variables, ThoseOfGpuProgramsWithSecretsMasked) {
  FakeHost fake("windows");
  fake.set("hf_token", "hf_abc");
  fake.set("HF_ENDPOINT", "https://u:p@mirror");
  fake.set("FLAGS_use_cuda", std::string(10'000, 'x'));
  fake.set("CUDA_VISIBLE_DEVICES", "");
  fake.set("MY_DIARY", "private");
  fake.set("TF_VAR_database", "private");  // Terraform's
  const auto variables = observe_program_variables(fake.host());
  ASSERT_EQ(variables.size(), 4U);
  EXPECT_EQ(variables[0].name, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(variables[0].value, "");  // set, and hides all cards
  EXPECT_EQ(variables[1].value.size(), 4096U);
  EXPECT_TRUE(variables[1].masked);
  EXPECT_EQ(variables[2].value, "https://***@mirror");
  EXPECT_EQ(variables[3].value, "***");
}

TEST(Variables, KnownOnesWhereNamesCannotBeTold) {
  FakeHost fake("linux");
  fake.host().variable_names = nullptr;
  fake.set("OMP_NUM_THREADS", "4");
  fake.set("NCCL_ODD", "1");
  const auto variables = observe_program_variables(fake.host());
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].value, "4");
}

TEST(WindowsDisks, SharesAreNotTouched) {
  FakeHost fake("windows");
  fake.host().home = "C:\\Users\\王 小明";
  fake.set("PIP_CACHE_DIR", "\\\\server\\cache");
  const auto disks = observe_disks(fake.host(), {}, "");
  const auto disk = [&](DiskPurpose purpose) {
    return *std::ranges::find(disks, purpose, &DiskFacts::purpose);
  };
  EXPECT_TRUE(disk(DiskPurpose::pip_cache).on_network);
  EXPECT_TRUE(disk(DiskPurpose::pip_cache).free_bytes.fault);
  EXPECT_EQ(disk(DiskPurpose::uv_cache).path, "C:\\Users\\王 小明\\AppData\\Local\\uv\\cache");
  EXPECT_EQ(disk(DiskPurpose::hf_cache).path, "C:\\Users\\王 小明\\.cache\\huggingface");
  EXPECT_EQ(disk(DiskPurpose::root).path, "C:\\");
}

TEST(Wsl, SeenFromWindows) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(R"(
[HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Lxss]
"DefaultDistribution"="{B}"
"DefaultVersion"=dword:00000002
[HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Lxss\{a}]
"DistributionName"="Legacy"
"Flags"=dword:00000007
"Version"=dword:00000002
"State"=dword:00000001
[HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Lxss\{b}]
"DistributionName"="Ubuntu-24.04"
"Flags"=dword:0000000f
"State"=dword:00000063
[HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Lxss\AppxInstallerCache]
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Lxss\MSI]
"Version"="2.6.1.0"
)");
  fake.write("home/.wslconfig", "\xef\xbb\xbf[wsl2]\r\nMemory=8GB # half\r\nswap=0\r\n");
  const WslState wsl = observe_wsl(fake.host());
  ASSERT_EQ(wsl.distributions.size(), 2U);
  EXPECT_EQ(wsl.distributions[0].version.value, 1U);
  EXPECT_EQ(wsl.distributions[0].state, WslDistributionState::installed);
  EXPECT_FALSE(wsl.distributions[0].is_default);
  EXPECT_EQ(wsl.distributions[1].version.value, 2U);
  EXPECT_EQ(wsl.distributions[1].state, WslDistributionState::unknown);
  EXPECT_TRUE(wsl.distributions[1].is_default);
  EXPECT_EQ(wsl.default_version.value, 2U);
  EXPECT_EQ(wsl.package_version.value, "2.6.1.0");
  ASSERT_TRUE(wsl.wslconfig);
  EXPECT_EQ(wsl.wslconfig.value->at(0).key, "memory");
  EXPECT_EQ(wsl.wslconfig.value->at(0).value, "8GB");
  EXPECT_FALSE(wsl.version);
}

}  // namespace
}  // namespace plumb

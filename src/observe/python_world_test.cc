// SPDX-License-Identifier: Apache-2.0
#include "observe/python_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "observe/condarc.h"
#include "observe/fake_host_test.h"
#include "observe/python_commands.h"
#include "observe/python_program.h"

namespace plumb {
namespace {

using test::FakeHost;

std::string python_program(std::uint16_t machine = 62, bool wide = true) {
  std::string bytes(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  bytes.resize(64, '\0');
  bytes[4] = wide ? '\x02' : '\x01';
  bytes[18] = static_cast<char>(machine & 0xff);
  bytes[19] = static_cast<char>(machine >> 8);
  return bytes;
}

std::string windows_program() {
  return test::build_pe({}).bytes;
}

void make_venv(const FakeHost& fake, const std::string& name, const std::string& home = "/usr/bin",
               const std::string& more = "") {
  fake.write(name + "/pyvenv.cfg", "home = " + home + "\nversion = 3.12.3\n" + more);
  fake.write(name + "/bin/python", python_program());
  fake.make_folder(name + "/lib/python3.12/site-packages");
}

void make_conda(const FakeHost& fake, const std::string& name, bool root = false) {
  fake.write(name + "/conda-meta/python-3.11.9-h1_0_cpython.json");
  fake.write(name + "/conda-meta/history");
  fake.write(name + "/bin/python3", python_program());
  fake.make_folder(name + "/lib/python3.11/site-packages");
  if (root) {
    fake.make_folder(name + "/condabin");
  }
}

const FoundEnvironment* environment(const FakeHost& fake, const PythonWorld& world,
                                    const std::string& name) {
  const auto hit = std::ranges::find(world.environments, fake.path(name), &FoundEnvironment::root);
  return hit == world.environments.end() ? nullptr : &*hit;
}

const PythonInterpreter* interpreter(const FakeHost& fake, const PythonWorld& world,
                                     const std::string& name) {
  for (const PythonInterpreter& found : world.interpreters) {
    if (fake.relative(found.path) == name) {
      return &found;
    }
  }
  return nullptr;
}

const PythonCommand* command(const PythonWorld& world, std::string_view name) {
  const auto hit = std::ranges::find(world.commands, name, &PythonCommand::name);
  return hit == world.commands.end() ? nullptr : &*hit;
}

TEST(PythonWorld, AnEmptyMachineHasNone) {
  for (const char* system : {"linux", "windows"}) {
    FakeHost fake(system);
    const PythonWorld world = observe_python_world(fake.host());
    EXPECT_TRUE(world.interpreters.empty());
    EXPECT_TRUE(world.environments.empty());
    EXPECT_TRUE(world.commands.empty());
    EXPECT_TRUE(world.errors.empty());
    EXPECT_FALSE(world.pip_fits_python);
  }
}

TEST(PythonWorld, InterpretersOfLinux) {
  FakeHost fake("linux");
  fake.write("usr/bin/python3.11", python_program());
  fake.write("usr/bin/python3.11-config", "#!/bin/sh\n");
  fake.write("usr/lib/python3.11/EXTERNALLY-MANAGED", "[externally-managed]\n");
  fake.write("usr/include/python3.11/patchlevel.h", "#define PY_VERSION \"3.11.2\"\n");
  fake.write("usr/lib/python3/dist-packages/torch-2.1.0.dist-info/METADATA");
  fake.write("home/.pyenv/versions/3.10.14/bin/python3", python_program());
  fake.make_folder("home/.pyenv/versions/3.10.14/lib/python3.10");
  fake.write("home/.local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu/bin/python3",
             python_program(183));
  fake.make_folder("home/.local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu/lib/python3.13");
  make_conda(fake, "home/miniconda3", true);
  fake.write("opt/old/bin/python", python_program(3, false));
  fake.set("PATH", "/usr/bin:/opt/old/bin:relative:");
  const PythonWorld world = observe_python_world(fake.host());
  EXPECT_EQ(world.interpreters.size(), 5U);
  const auto* system = interpreter(fake, world, "usr/bin/python3.11");
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(system->kind, InterpreterKind::system);
  EXPECT_EQ(system->version.value, "3.11.2");
  EXPECT_EQ(system->machine.value, "x86_64");
  EXPECT_EQ(system->bits, 64U);
  EXPECT_TRUE(system->externally_managed);
  ASSERT_EQ(system->gpu_projects.size(), 1U);
  EXPECT_EQ(system->gpu_projects[0].version, "2.1.0");
  const auto* pyenv = interpreter(fake, world, "home/.pyenv/versions/3.10.14/bin/python3");
  ASSERT_NE(pyenv, nullptr);
  EXPECT_EQ(pyenv->kind, InterpreterKind::pyenv);
  EXPECT_EQ(pyenv->version.value, "3.10.14");
  const auto* uv = interpreter(
      fake, world, "home/.local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu/bin/python3");
  ASSERT_NE(uv, nullptr);
  EXPECT_EQ(uv->kind, InterpreterKind::uv);
  EXPECT_EQ(uv->version.value, "3.13.1");
  EXPECT_EQ(uv->machine.value, "aarch64");
  const auto* conda = interpreter(fake, world, "home/miniconda3/bin/python3");
  ASSERT_NE(conda, nullptr);
  EXPECT_EQ(conda->kind, InterpreterKind::conda);
  EXPECT_EQ(conda->version.value, "3.11.9");
  const auto* old = interpreter(fake, world, "opt/old/bin/python");
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->bits, 32U);
}

constexpr const char* kRegistry =
    R"(Windows Registry Editor Version 5.00

[HKEY_CURRENT_USER\Software\Python\PythonCore\3.12]
"SysVersion"="3.12"
"Version"="3.12.4"
"SysArchitecture"="64bit"
[HKEY_CURRENT_USER\Software\Python\PythonCore\3.12\InstallPath]
@="C:\\Python312\\"
"ExecutablePath"="C:\\Python312\\python.exe"
[HKEY_CURRENT_USER\Software\Python\PyLauncher\x\InstallPath]
@="C:\\Windows\\"
[HKEY_LOCAL_MACHINE\SOFTWARE\Python\PythonCore\3.5\InstallPath]
@="C:\\Python35"
[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Python\PythonCore\3.9-32]
"SysArchitecture"="32bit"
[HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Python\PythonCore\3.9-32\InstallPath]
"ExecutablePath"="D:\\Python39\\python.exe"
[HKEY_LOCAL_MACHINE\SOFTWARE\Python\PythonCore\3.8\InstallPath]
"ExecutablePath"="\\\\server\\share\\python.exe"
[HKEY_LOCAL_MACHINE\SOFTWARE\Python\Odd\1\InstallPath]
@=dword:00000001
[HKEY_CURRENT_USER\Software\Classes\Local Settings\Software\Microsoft\Windows)"
    R"(\CurrentVersion\AppModel\SystemAppData\PythonSoftwareFoundation.Python.3.11_)"
    R"(qbz5n2kfra8p0\Schemas]
"PackageFullName"="PythonSoftwareFoundation.Python.3.11_3.11.2544.0_x64__qbz5n2kfra8p0"
)";

TEST(PythonWorld, InterpretersOfWindows) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(kRegistry);
  fake.set("LOCALAPPDATA", "C:\\Users\\me\\AppData\\Local");
  fake.set("PATH", "C:\\Python312;C:\\Python312\\Scripts");
  fake.write("Python312/python.exe", windows_program());
  fake.write("Python312/python312.dll", test::dll_of_version({3, 12, 4150, 1013}));
  fake.make_folder("Python312/Lib/site-packages/onnxruntime_gpu-1.20.1.dist-info");
  const std::string apps = "Users/me/AppData/Local/Microsoft/WindowsApps/";
  const std::string family = "PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0";
  fake.make_folder(apps + family);
  fake.write(apps + "python.exe");
  fake.make_folder("Users/me/AppData/Local/Packages/" + family +
                   "/LocalCache/local-packages/Python311/site-packages/torch-2.5.0.dist-info");
  fake.write("Windows/py.exe", windows_program());
  fake.write("Users/me/AppData/Local/py.ini", "[defaults]\npython = 3.11\n");
  const PythonWorld world = observe_python_world(fake.host());
  const auto* core = interpreter(fake, world, "Python312/python.exe");
  ASSERT_NE(core, nullptr);
  EXPECT_EQ(core->kind, InterpreterKind::registry);
  EXPECT_EQ(core->company, "PythonCore");
  EXPECT_EQ(core->tag, "3.12");
  EXPECT_EQ(core->version.value, "3.12.4");
  EXPECT_FALSE(core->stale);
  ASSERT_EQ(core->gpu_projects.size(), 1U);
  EXPECT_EQ(core->gpu_projects[0].name, "onnxruntime-gpu");
  const auto* gone = interpreter(fake, world, "Python35/python.exe");
  ASSERT_NE(gone, nullptr);
  EXPECT_TRUE(gone->stale);
  const auto by_kind = [&](InterpreterKind kind) {
    return std::ranges::find(world.interpreters, kind, &PythonInterpreter::kind);
  };
  const auto store = by_kind(InterpreterKind::store);
  ASSERT_NE(store, world.interpreters.end());
  EXPECT_EQ(store->version.value, "3.11");
  EXPECT_EQ(store->machine.value, "x86_64");
  EXPECT_EQ(store->gpu_projects.size(), 1U);
  EXPECT_NE(by_kind(InterpreterKind::alias_stub), world.interpreters.end());
  EXPECT_NE(by_kind(InterpreterKind::launcher), world.interpreters.end());
  const auto narrow = std::ranges::find(world.interpreters, "3.9-32", &PythonInterpreter::tag);
  ASSERT_NE(narrow, world.interpreters.end());
  EXPECT_EQ(narrow->bits, 32U);
  EXPECT_FALSE(narrow->stale);  // another drive is not in view
  const auto share = std::ranges::find(world.interpreters, "3.8", &PythonInterpreter::tag);
  ASSERT_NE(share, world.interpreters.end());
  EXPECT_FALSE(share->stale);  // a share is not asked
  EXPECT_EQ(world.launcher_default.value, "3.11");
  ASSERT_EQ(world.errors.size(), 1U);  // the folder that is a number
  EXPECT_NE(world.errors[0].where.find("Odd"), std::string::npos);
  fake.set("PY_PYTHON", "3.12");
  EXPECT_EQ(observe_python_world(fake.host()).launcher_default.value, "3.12");
}

TEST(PythonWorld, EnvironmentsInTheirOrderAndEachOnce) {
  FakeHost fake("linux");
  fake.write("usr/bin/python3", python_program());
  make_venv(fake, "active");
  fake.make_folder("active/lib/python3.12/site-packages/torch-2.11.0+cu130.dist-info");
  fake.make_folder("active/lib/python3.12/site-packages/requests-2.0.dist-info");
  make_venv(fake, "work/.venv", "/usr/bin", "uv = 0.8.3\ninclude-system-site-packages = false\n");
  make_conda(fake, "home/miniconda3", true);
  make_conda(fake, "home/miniconda3/envs/ml");
  make_conda(fake, "data/envs/big");
  make_conda(fake, "elsewhere/noted");
  make_venv(fake, "home/.virtualenvs/old");
  make_venv(fake, "home/.cache/pypoetry/virtualenvs/app-py3.12");
  make_venv(fake, "home/.local/share/pipx/venvs/black");
  make_venv(fake, "home/.local/share/virtualenvs/site-abc");
  make_venv(fake, "home/.local/share/uv/tools/ruff");
  make_venv(fake, "opt/venv");
  fake.write("work/.pixi/envs/default/conda-meta/pixi");
  fake.write("home/.condarc", "envs_dirs:\n  - /data/envs  # big disk\n");
  fake.write("home/.conda/environments.txt",
             "/elsewhere/noted\n" + fake.path("active") + "\n/gone/away\nrelative\n" +
                 std::string("a\0b\n", 4) + std::string(70'000, '/') + "\n");
  fake.set("VIRTUAL_ENV", "/active");
  const PythonWorld world = observe_python_world(fake.host());
  EXPECT_TRUE(world.errors.empty());
  EXPECT_EQ(world.environments.size(), 13U);
  EXPECT_TRUE(world.environments.front().active);
  const auto* active = environment(fake, world, "active");
  ASSERT_NE(active, nullptr);
  EXPECT_TRUE(active->active);
  EXPECT_TRUE(active->system_site_packages);  // the key is missing
  EXPECT_EQ(active->python_version.value, "3.12.3");
  ASSERT_EQ(active->gpu_projects.size(), 1U);
  EXPECT_EQ(active->gpu_projects[0].version, "2.11.0+cu130");
  EXPECT_EQ(active->broken, BrokenBy::nothing);
  const auto* dot = environment(fake, world, "work/.venv");
  ASSERT_NE(dot, nullptr);
  EXPECT_EQ(dot->made_by, "uv 0.8.3");
  EXPECT_FALSE(dot->system_site_packages);
  EXPECT_EQ(environment(fake, world, "home/miniconda3")->kind, FoundKind::conda_root);
  EXPECT_EQ(environment(fake, world, "home/miniconda3/envs/ml")->kind, FoundKind::conda);
  EXPECT_EQ(environment(fake, world, "data/envs/big")->found_in, FoundIn::conda_config);
  EXPECT_EQ(environment(fake, world, "work/.pixi/envs/default")->kind, FoundKind::pixi);
}

TEST(PythonWorld, EnvironmentsOfWindows) {
  FakeHost fake("windows");
  fake.set("LOCALAPPDATA", "C:\\Users\\me\\AppData\\Local");
  fake.set("APPDATA", "C:\\Users\\me\\AppData\\Roaming");
  fake.write("Python310/python.exe", windows_program());
  const std::string poetry = "Users/me/AppData/Local/pypoetry/Cache/virtualenvs/app-py3.10";
  fake.write(poetry + "/pyvenv.cfg", "home = C:\\Python310\nversion_info = 3.10.11.final.0\n");
  fake.write(poetry + "/Scripts/python.exe", windows_program());
  fake.make_folder(poetry + "/Lib/site-packages/jax_cuda12_plugin-0.5.0.dist-info");
  fake.write("tools/miniforge3/conda-meta/python-3.12.8-h1_0.json");
  fake.make_folder("tools/miniforge3/condabin");
  fake.make_folder("tools/miniforge3/Lib/site-packages");
  fake.write("share/pyvenv.cfg", "home = \\\\server\\python\n");
  fake.write("home/.conda/environments.txt",
             "\\\\server\\share\\env\r\nC:\\share\r\nc:\\tools\\miniforge3\r\n");
  const PythonWorld world = observe_python_world(fake.host());
  ASSERT_EQ(world.environments.size(), 3U);
  EXPECT_EQ(fake.relative(world.environments[0].root), "share");
  EXPECT_EQ(world.environments[0].broken, BrokenBy::nothing);  // its base was not asked
  EXPECT_EQ(world.environments[1].kind, FoundKind::conda_root);
  EXPECT_EQ(world.environments[2].found_in, FoundIn::poetry);
  EXPECT_EQ(world.environments[2].python_version.value, "3.10.11");
  EXPECT_EQ(world.environments[2].broken, BrokenBy::nothing);
  ASSERT_EQ(world.environments[2].gpu_projects.size(), 1U);
}

TEST(PythonWorld, BrokenEnvironments) {
  FakeHost fake("linux");
  fake.make_folder("empty/bin");
  make_venv(fake, "home/.venvs/gone", "/no/such/bin");
  make_venv(fake, "home/.venvs/empty", "/empty/bin");
  fake.write("home/.venvs/garbage/pyvenv.cfg", std::string("\xff\xfe\0=\0\n===\nhome\n", 15));
  const PythonWorld world = observe_python_world(fake.host());
  ASSERT_EQ(world.environments.size(), 3U);
  EXPECT_EQ(environment(fake, world, "home/.venvs/gone")->broken, BrokenBy::no_home);
  EXPECT_EQ(environment(fake, world, "home/.venvs/empty")->broken, BrokenBy::no_base_python);
  EXPECT_EQ(environment(fake, world, "home/.venvs/garbage")->broken, BrokenBy::no_home);
}

TEST(PythonWorld, ARootThatTakesTooLongIsNamedAndTheRestGoesOn) {
  FakeHost fake("linux");
  for (int i = 0; i < 20; ++i) {
    make_venv(fake, "home/.virtualenvs/e" + std::to_string(10 + i));
  }
  make_venv(fake, "home/.venvs/quick");
  SearchLimits limits;
  auto clock = std::make_shared<std::chrono::steady_clock::time_point>();
  limits.now = [clock] { return *clock += std::chrono::milliseconds(50); };
  const PythonWorld world = observe_python_world(fake.host(), limits);
  ASSERT_EQ(world.errors.size(), 1U);
  EXPECT_EQ(world.errors[0].code, ErrorCode::limit);
  EXPECT_EQ(fake.relative(world.errors[0].where), "home/.virtualenvs");
  EXPECT_LT(world.environments.size(), 10U);
  EXPECT_NE(environment(fake, world, "home/.venvs/quick"), nullptr);
}

TEST(PythonWorld, NoMoreEnvironmentsThanTheLimit) {
  FakeHost fake("linux");
  for (int i = 0; i < 9; ++i) {
    make_venv(fake, "home/.venvs/e" + std::to_string(i));
  }
  SearchLimits limits;
  limits.environments = 5;
  const PythonWorld world = observe_python_world(fake.host(), limits);
  EXPECT_EQ(world.environments.size(), 5U);
  ASSERT_EQ(world.errors.size(), 1U);
}

TEST(PythonWorld, WindowsDrivesAreNotSearchedFromWsl) {
  FakeHost fake("linux");
  fake.make_folder("usr/lib/wsl/lib");
  make_venv(fake, "mnt/c/env");
  fake.write("home/.conda/environments.txt", "/mnt/c/env\n");
  EXPECT_TRUE(observe_python_world(fake.host()).environments.empty());
  fake.set("VIRTUAL_ENV", "/mnt/c/env");
  EXPECT_EQ(observe_python_world(fake.host()).environments.size(), 1U);
}

TEST(PythonWorld, PipOfAnotherInstallationThanPython) {
  FakeHost fake("linux");
  fake.write("usr/bin/python3", python_program());
  fake.write("usr/bin/pip", "#!/usr/bin/python3\nimport sys\n");
  make_venv(fake, "ml");
  fake.set("PATH", "/ml/bin:/usr/bin");
  PythonWorld world = observe_python_world(fake.host());
  ASSERT_NE(command(world, "python"), nullptr);
  EXPECT_EQ(fake.relative(command(world, "python")->prefix), "ml");
  EXPECT_EQ(fake.relative(command(world, "pip")->prefix), "usr");
  EXPECT_EQ(world.pip_fits_python.value, false);
  fake.write("ml/bin/pip", "#!/bin/sh\n'''exec' \"/ml/bin/python\" \"$0\" \"$@\"\n' '''\n");
  world = observe_python_world(fake.host());
  EXPECT_EQ(world.pip_fits_python.value, true);
  EXPECT_EQ(command(world, "pip")->hidden.size(), 1U);
}

TEST(PythonWorld, PipOfWindowsNamesItsPythonBehindTheProgram) {
  FakeHost fake("windows");
  fake.write("Python312/python.exe", windows_program());
  fake.write("old/Scripts/pip.exe",
             windows_program() + "#!C:\\Python312\\python.exe\r\nPK\x03\x04 zip PK\x05\x06 end");
  fake.set("PATH", "C:\\old\\Scripts;C:\\Python312");
  PythonWorld world = observe_python_world(fake.host());
  EXPECT_EQ(world.pip_fits_python.value, true);
  fake.write("old/Scripts/pip.exe",
             "MZ#!\"C:\\other one\\python.exe\"\r\nPK\x03\x04 zip PK\x05\x06 end");
  world = observe_python_world(fake.host());
  EXPECT_EQ(world.pip_fits_python.value, false);
}

TEST(PythonWorld, FirstLinesOfScripts) {
  EXPECT_EQ(interpreter_of_script("#!/usr/bin/python3 -s\nx"), "/usr/bin/python3");
  EXPECT_EQ(interpreter_of_script("#!/usr/bin/env python3\nx"), "/usr/bin/env python3");
  EXPECT_EQ(interpreter_of_script("#!/bin/sh\n'''exec' /a/python \"$0\"\n"), "/a/python");
  EXPECT_EQ(interpreter_of_script("#!/bin/sh\necho\n"), "");
  EXPECT_EQ(interpreter_of_script("#!"), "");
  EXPECT_EQ(interpreter_of_script(""), "");
  EXPECT_EQ(interpreter_of_launcher("#!C:\\python.exe\n"), "");  // no archive
  EXPECT_EQ(interpreter_of_launcher("PK\x05\x06"), "");
  EXPECT_EQ(interpreter_of_launcher("#!\"PK\x05\x06"), "");
}

TEST(PythonWorld, NamesOfPrograms) {
  for (const char* name : {"python", "python3", "python3.12", "python3.13t", "pypy3"}) {
    EXPECT_TRUE(is_python_name(name, false)) << name;
  }
  for (const char* name : {"python3-config", "pythonw", "python3.12-config", "pythont", "py"}) {
    EXPECT_FALSE(is_python_name(name, false)) << name;
  }
  EXPECT_TRUE(is_python_name("Python.exe", true));
  EXPECT_FALSE(is_python_name("pythonw.exe", true));
  EXPECT_EQ(version_in_folder_name("cpython-3.12.7-linux-x86_64-gnu"), "3.12.7");
  EXPECT_EQ(version_in_folder_name("cpython-3.13.0rc1-windows"), "3.13.0");
  EXPECT_EQ(version_in_folder_name("mambaforge"), "");
}

TEST(Condarc, ListsScalarsAndSections) {
  const Condarc condarc = parse_condarc(
      "\xef\xbb\xbf# mine\nchannels:\n- conda-forge\n  - 'nvidia'\nenvs_dirs: [ /a, \"/b c\" ]\n"
      "ssl_verify: false # no\nproxy_servers:\n  http: http://u:p@h:1\nempty:\n",
      "f");
  EXPECT_TRUE(condarc.errors.empty());
  EXPECT_EQ(condarc.values.at("channels"), (std::vector<std::string>{"conda-forge", "nvidia"}));
  EXPECT_EQ(condarc.values.at("envs_dirs"), (std::vector<std::string>{"/a", "/b c"}));
  EXPECT_EQ(condarc.values.at("ssl_verify").front(), "false");
  EXPECT_EQ(condarc.values.at("proxy_servers.http").front(), "http://u:p@h:1");
  EXPECT_FALSE(condarc.values.contains("empty"));
  const Condarc broken = parse_condarc("a: 1\nwhat is this\n", "f");
  ASSERT_EQ(broken.errors.size(), 1U);
  EXPECT_EQ(broken.errors[0].where, "f:2");
  EXPECT_EQ(parse_condarc("- x\n\t- y\n", "f").errors.size(), 1U);
}

}  // namespace
}  // namespace plumb

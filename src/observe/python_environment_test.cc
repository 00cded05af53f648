// SPDX-License-Identifier: Apache-2.0
#include "observe/python_environment.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"
#include "observe/site_packages.h"

namespace plumb {
namespace {

using test::FakeHost;

void make_linux_venv(const FakeHost& fake, const std::string& name,
                     const std::string& version = "3.12.3", bool shared = false) {
  fake.write(name + "/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = " +
                                       std::string(shared ? "true" : "false") +
                                       "\nversion = " + version + "\n");
  fake.write(name + "/bin/python");
  fake.make_folder(name + "/lib/python" + version.substr(0, version.rfind('.')) + "/site-packages");
}

void make_windows_venv(const FakeHost& fake, const std::string& name) {
  fake.write(name + "/pyvenv.cfg",
             "home = C:\\Python310\nInclude-System-Site-Packages = false\nversion_info = "
             "3.10.11.final.0\n");
  fake.write(name + "/Scripts/python.exe");
  fake.make_folder(name + "/Lib/site-packages");
}

std::vector<std::string> sites(const FakeHost& fake, const PythonEnvironment& environment) {
  std::vector<std::string> names;
  for (const std::string& site : environment.site_packages) {
    names.push_back(fake.relative(site));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(PythonEnvironment, NamedByTheOption) {
  FakeHost fake("linux");
  make_linux_venv(fake, "ml");
  const auto search = find_python_environment(fake.host(), fake.path("ml"));
  ASSERT_TRUE(search.environment);
  const PythonEnvironment& environment = *search.environment.value;
  EXPECT_EQ(environment.kind, EnvironmentKind::venv);
  EXPECT_EQ(environment.found_by, FoundBy::option);
  EXPECT_EQ(environment.system, "linux");
  EXPECT_EQ(environment.python_version.value, "3.12.3");
  EXPECT_EQ(sites(fake, environment), Names{"ml/lib/python3.12/site-packages"});
}

TEST(PythonEnvironment, TheOptionMayNameTheInterpreterOrAFolderOfPackages) {
  FakeHost fake("linux");
  make_linux_venv(fake, "ml");
  auto search = find_python_environment(fake.host(), fake.path("ml/bin/python"));
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(fake.relative(search.environment.value->root), "ml");
  fake.write("packages/torch-2.1.0.dist-info/METADATA", "Name: torch\nVersion: 2.1.0\n");
  search = find_python_environment(fake.host(), fake.path("packages"));
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->kind, EnvironmentKind::folder);
}

TEST(PythonEnvironment, AnOptionThatIsNoneIsAnErrorWithItsReason) {
  FakeHost fake("linux");
  auto search = find_python_environment(fake.host(), fake.path("nowhere"));
  ASSERT_TRUE(search.environment.fault);
  EXPECT_EQ(search.environment.fault->code, ErrorCode::not_found);
  fake.write("empty/readme.txt");
  search = find_python_environment(fake.host(), fake.path("empty"));
  ASSERT_TRUE(search.environment.fault);
  EXPECT_EQ(search.environment.fault->code, ErrorCode::unsupported);
}

TEST(PythonEnvironment, AWindowsLayoutIsReadOnBothSystems) {
  FakeHost fake("windows");
  make_windows_venv(fake, "ml");
  const auto search = find_python_environment(fake.host(), fake.path("ml"));
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->system, "windows");
  EXPECT_EQ(search.environment.value->python_version.value, "3.10.11");
  EXPECT_EQ(sites(fake, *search.environment.value), Names{"ml/Lib/site-packages"});
}

TEST(PythonEnvironment, VirtualEnvBeatsCondaBeatsDotVenvBeatsPath) {
  FakeHost fake("linux");
  make_linux_venv(fake, "work/.venv");
  make_linux_venv(fake, "active");
  fake.write("usr/bin/python3");
  fake.make_folder("usr/lib/python3.11/site-packages");
  fake.make_folder("conda/envs/ml/conda-meta");
  fake.make_folder("conda/envs/ml/lib/python3.10/site-packages");
  fake.host().current_folder = fake.path("work/deep/below");
  fake.make_folder("work/deep/below");
  const auto root = [&fake] {
    const auto search = find_python_environment(fake.host(), "");
    return search.environment ? fake.relative(search.environment.value->root) : "none";
  };
  fake.set("PATH", "/usr/bin");
  EXPECT_EQ(root(), "work/.venv");
  fake.set("CONDA_PREFIX", "/conda/envs/ml");
  EXPECT_EQ(root(), "conda/envs/ml");
  fake.set("VIRTUAL_ENV", "/active");
  EXPECT_EQ(root(), "active");
  fake.set("VIRTUAL_ENV", "/gone");  // a deleted one is not in force
  EXPECT_EQ(root(), "conda/envs/ml");
}

TEST(PythonEnvironment, CondasBaseGivesWayToADotVenv) {
  FakeHost fake("linux");
  make_linux_venv(fake, "work/.venv");
  fake.make_folder("conda/conda-meta");
  fake.make_folder("conda/condabin");
  fake.make_folder("conda/lib/python3.12/site-packages");
  fake.write("conda/conda-meta/python-3.12.8-h9e4cc4f_1_cpython.json");
  fake.set("CONDA_PREFIX", "/conda");
  auto search = find_python_environment(fake.host(), "");
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->found_by, FoundBy::dot_venv);
  fake.host().current_folder = fake.path("elsewhere");
  search = find_python_environment(fake.host(), "");
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->kind, EnvironmentKind::conda);
  EXPECT_EQ(search.environment.value->python_version.value, "3.12.8");
}

TEST(PythonEnvironment, AnotherPythonOnPathIsTold) {
  FakeHost fake("linux");
  make_linux_venv(fake, "active");
  make_linux_venv(fake, "other");
  fake.set("VIRTUAL_ENV", "/active");
  fake.set("PATH", "/active/bin");
  EXPECT_EQ(find_python_environment(fake.host(), "").environment.value->path_python, "");
  fake.set("PATH", "/other/bin");
  EXPECT_EQ(fake.relative(find_python_environment(fake.host(), "").environment.value->path_python),
            "other/bin/python");
}

TEST(PythonEnvironment, PyenvShimsAreFollowedByHand) {
  FakeHost fake("linux");
  fake.write("home/.pyenv/shims/python", "#!/usr/bin/env bash\n");
  fake.write("home/.pyenv/version", "3.11.9\n");
  for (const char* version : {"3.11.9", "3.12.4", "3.12.10"}) {
    const std::string folder = std::string("home/.pyenv/versions/") + version;
    fake.write(folder + "/bin/python");
    fake.make_folder(folder + "/lib/python" + std::string(version).substr(0, 4) + "/site-packages");
  }
  fake.set("PATH", "/home/.pyenv/shims");
  const auto root = [&fake] {
    return fake.relative(find_python_environment(fake.host(), "").environment.value->root);
  };
  EXPECT_EQ(root(), "home/.pyenv/versions/3.11.9");
  fake.write("work/.python-version", "3.12\n");  // the newest 3.12
  EXPECT_EQ(root(), "home/.pyenv/versions/3.12.10");
  fake.set("PYENV_VERSION", "3.12.4");
  EXPECT_EQ(root(), "home/.pyenv/versions/3.12.4");
  fake.set("PYENV_VERSION", "../../etc");  // hostile: not a name
  EXPECT_FALSE(find_python_environment(fake.host(), "").environment);
}

TEST(PythonEnvironment, DebiansOwnPythonHasItsOwnFolders) {
  FakeHost fake("linux");
  fake.write("usr/bin/python3.11");
  fake.write("usr/bin/python3");
  fake.make_folder("usr/lib/python3.11");
  fake.make_folder("usr/lib/python3/dist-packages");
  fake.make_folder("usr/local/lib/python3.11/dist-packages");
  fake.make_folder("home/.local/lib/python3.11/site-packages");
  fake.set("PATH", "/usr/bin");
  const auto search = find_python_environment(fake.host(), "");
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->kind, EnvironmentKind::system);
  EXPECT_EQ(search.environment.value->python_version.value, "3.11");
  EXPECT_EQ(sites(fake, *search.environment.value),
            (Names{"home/.local/lib/python3.11/site-packages",
                   "usr/local/lib/python3.11/dist-packages", "usr/lib/python3/dist-packages"}));
  fake.set("PYTHONNOUSERSITE", "1");
  EXPECT_EQ(sites(fake, *find_python_environment(fake.host(), "").environment.value).size(), 2U);
}

TEST(PythonEnvironment, AVenvThatSharesSeesTheSystemsPackages) {
  FakeHost fake("linux");
  make_linux_venv(fake, "ml", "3.11.2", true);
  fake.make_folder("usr/lib/python3/dist-packages");
  const auto search = find_python_environment(fake.host(), fake.path("ml"));
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(sites(fake, *search.environment.value),
            (Names{"ml/lib/python3.11/site-packages", "usr/lib/python3/dist-packages"}));
}

TEST(PythonEnvironment, TheStoresEntryIsNoPython) {
  FakeHost fake("windows");
  fake.write("AppData/Local/Microsoft/WindowsApps/python.exe", "");
  fake.set("PATH", "/AppData/Local/Microsoft/WindowsApps");
  fake.set("LOCALAPPDATA", fake.path("AppData/Local"));
  auto search = find_python_environment(fake.host(), "");
  EXPECT_FALSE(search.environment);
  EXPECT_TRUE(search.store_stub);
  // With the Store's Python installed, the same entry starts it.
  const std::string family = "PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0";
  fake.make_folder("AppData/Local/Microsoft/WindowsApps/" + family);
  fake.make_folder("AppData/Local/Packages/" + family +
                   "/LocalCache/local-packages/Python312/site-packages");
  search = find_python_environment(fake.host(), "");
  ASSERT_TRUE(search.environment);
  EXPECT_FALSE(search.store_stub);
  EXPECT_EQ(search.environment.value->kind, EnvironmentKind::store);
  EXPECT_EQ(search.environment.value->python_version.value, "3.12");
  EXPECT_EQ(search.environment.value->site_packages.size(), 1U);
}

TEST(PythonEnvironment, AWindowsInstallationTellsItsVersionByItsLibrary) {
  FakeHost fake("windows");
  fake.write("Python312/python.exe");
  fake.write("Python312/python3.dll");
  fake.write("Python312/python312.dll");
  fake.make_folder("Python312/Lib/site-packages");
  fake.set("PATH", "/Python312");
  auto search = find_python_environment(fake.host(), "");
  ASSERT_TRUE(search.environment);
  EXPECT_EQ(search.environment.value->python_version.value, "3.12");
  fake.write("Python312/include/patchlevel.h", "#define PY_VERSION      \"3.12.8\"\n");
  search = find_python_environment(fake.host(), "");
  EXPECT_EQ(search.environment.value->python_version.value, "3.12.8");
}

TEST(PythonEnvironment, NothingAnywhere) {
  FakeHost fake("linux");
  const auto search = find_python_environment(fake.host(), "");
  EXPECT_FALSE(search.environment);
  EXPECT_FALSE(search.environment.fault);
}

TEST(SitePackages, NamesOfPythons) {
  EXPECT_EQ(python_of_name("python3.12"), "3.12");
  EXPECT_EQ(python_of_name("python3.13t"), "3.13t");
  EXPECT_EQ(python_of_name("python312"), "3.12");
  EXPECT_EQ(python_of_name("python39"), "3.9");
  EXPECT_EQ(python_of_name("pypy3.10"), "3.10");
  EXPECT_EQ(python_of_name("python3"), "");
  EXPECT_EQ(python_of_name("python"), "");
  EXPECT_EQ(python_of_name("python-config"), "");
}

TEST(PythonEnvironment, FoldersThatPthFilesNameFollowTheirOwn) {
  FakeHost fake("linux");
  fake.write("ml/pyvenv.cfg",
             "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = false\n");
  fake.write("ml/bin/python");
  fake.make_folder("opt/parent");
  fake.write("ml/lib/python3.12/site-packages/a.pth",
             "# a comment\nimport os; os.x\n/opt/parent\nbeside\n/opt/gone\n");
  fake.make_folder("ml/lib/python3.12/site-packages/beside");
  fake.write("opt/parent/b.pth", "/opt\n");  // such a folder's own .pth files do not count
  const PythonSearch search = find_python_environment(fake.host(), fake.path("ml"));
  ASSERT_TRUE(search.environment);
  std::vector<std::string> folders;
  for (const std::string& folder : search.environment.value->site_packages) {
    folders.push_back(fake.relative(folder));
  }
  EXPECT_EQ(folders, (std::vector<std::string>{"ml/lib/python3.12/site-packages", "opt/parent",
                                               "ml/lib/python3.12/site-packages/beside"}));
}

}  // namespace
}  // namespace plumb

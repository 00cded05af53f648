// SPDX-License-Identifier: Apache-2.0
#include "loader/windows_process.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "loader/fake_files_test.h"

namespace plumb {
namespace {

using test::FakeFiles;
using test::FakeSystem;
using test::PeDescription;

constexpr const char* kManifest =
    "<assembly xmlns='urn:schemas-microsoft-com:asm.v1'><dependency><dependentAssembly>"
    "<assemblyIdentity type='win32' name='Microsoft.VC90.CRT' version='9.0.21022.8' "
    "processorArchitecture='amd64' publicKeyToken='1fc8b3b9a1e18e3b'/>"
    "</dependentAssembly></dependency></assembly>";

void put16(std::string& out, const std::string& text) {
  for (const char letter : text) {
    out += letter;
    out += '\0';
  }
}

void put32(std::string& out, std::size_t value) {
  for (int i = 0; i < 4; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

/// Schema 6 with one set: `name` is `host`, but `own_host` for `importer`.
std::string api_set_section(const std::string& name, const std::string& host,
                            const std::string& importer, const std::string& own_host) {
  constexpr std::size_t kTexts = 28 + 24 + 2 * 20;
  std::string texts;
  std::vector<std::size_t> at;
  for (const std::string* text : {&name, &host, &importer, &own_host}) {
    at.push_back(kTexts + texts.size());
    put16(texts, *text);
  }
  std::string out;
  for (const std::size_t value : {std::size_t{6},
                                  kTexts + texts.size(),
                                  std::size_t{0},
                                  std::size_t{1},
                                  std::size_t{28},
                                  std::size_t{0},
                                  std::size_t{31},
                                  std::size_t{0},
                                  at[0],
                                  2 * name.size(),
                                  2 * name.size() - 4,
                                  std::size_t{52},
                                  std::size_t{2},
                                  std::size_t{0},
                                  std::size_t{0},
                                  std::size_t{0},
                                  at[1],
                                  2 * host.size(),
                                  std::size_t{0},
                                  at[2],
                                  2 * importer.size(),
                                  at[3],
                                  2 * own_host.size()}) {
    put32(out, value);
  }
  return out + texts;
}

class WindowsLoading : public testing::Test {
 protected:
  void SetUp() override {
    dll("C:\\Windows\\System32\\kernel32.dll");
    program("C:\\app\\python.exe", {});
    settings.current_folder = "C:\\work";
    settings.known_dlls = {"kernel32.dll"};
  }

  void dll(const std::string& path, const std::vector<std::string>& imports = {},
           const std::vector<std::string>& delayed = {}) {
    PeDescription pe;
    for (const std::string& name : imports) {
      pe.imports.push_back({name, {{.name = "f"}}});
    }
    for (const std::string& name : delayed) {
      pe.delay_imports.push_back({name, {{.name = "f"}}});
    }
    files.add_pe(path, pe);
  }

  void program(const std::string& path, const std::vector<std::string>& imports) {
    PeDescription pe;
    pe.dll = false;
    for (const std::string& name : imports) {
      pe.imports.push_back({name, {{.name = "f"}}});
    }
    files.add_pe(path, pe);
  }

  WindowsProcess started() {
    WindowsProcess process(files, settings);
    EXPECT_TRUE(process.start("C:\\app\\python.exe", LoadMode::strict).object);
    return process;
  }

  static std::string file(const WindowsProcess& process, const WindowsLoad& load) {
    return load.object ? process.objects()[*load.object].file : std::to_string(load.error);
  }

  std::string load(const std::string& name, std::uint32_t flags = 0) {
    WindowsProcess process = started();
    return file(process, process.load(name, flags));
  }

  FakeFiles files{FakeSystem::windows_like};
  WindowsSettings settings;
};

TEST_F(WindowsLoading, ABareNameIsSearchedInWindowsOrder) {
  settings.path = {"%CUDA_PATH%\\bin", "", "\"C:\\quoted path\"", "tools", "C:\\last"};
  const std::vector<std::string> order = {
      "C:\\app",  "C:\\Windows\\System32", "C:\\Windows\\System", "C:\\Windows",
      "C:\\work", "C:\\quoted path",       "C:\\work\\tools",     "C:\\last"};
  for (auto folder = order.rbegin(); folder != order.rend(); ++folder) {
    dll(*folder + "\\x.dll");
    EXPECT_EQ(load("X"), *folder + "\\X.dll");
  }
  settings.safe_search = false;
  files.remove("C:\\app\\x.dll");
  EXPECT_EQ(load("x.dll"), "C:\\work\\x.dll");
}

TEST_F(WindowsLoading, SearchFlagsNeverSeePathOrCurrentFolder) {
  settings.path = {"C:\\cuda"};
  dll("C:\\cuda\\x.dll");
  dll("C:\\work\\x.dll");
  EXPECT_EQ(load("x.dll", kLoadSearchDefaultDirs), "126");
  WindowsProcess process = started();
  process.add_folder("C:\\cuda");
  const WindowsLoad found = process.load("x.dll", kLoadSearchDefaultDirs);
  EXPECT_EQ(file(process, found), "C:\\cuda\\x.dll");
  EXPECT_EQ(process.objects()[*found.object].rule, LoadRule::added_folder);
}

TEST_F(WindowsLoading, ImportsAreSearchedWithTheFlagsOfTheLoad) {
  dll("C:\\site\\ext.pyd", {"dep.dll"});
  dll("C:\\site\\dep.dll");
  EXPECT_EQ(load("C:\\site\\ext.pyd", kLoadSearchDllLoadDir | kLoadSearchDefaultDirs),
            "C:\\site\\ext.pyd");
  EXPECT_EQ(load("C:\\site\\ext.pyd", kLoadAlteredSearchPath), "C:\\site\\ext.pyd");
  WindowsProcess process = started();
  const WindowsLoad plain = process.load("C:\\site\\ext.pyd", 0);
  EXPECT_EQ(plain.error, kErrorModuleNotFound);
  EXPECT_EQ(plain.missing, "dep.dll");
  EXPECT_EQ(plain.wanted_by, "C:\\site\\ext.pyd");
  EXPECT_EQ(process.objects().size(), 1U);  // nothing stays behind
  EXPECT_EQ(load("ext.pyd", kLoadSearchDllLoadDir), "87");
}

TEST_F(WindowsLoading, ALoadedModuleOfThatNameEndsTheSearch) {
  dll("C:\\torch\\cudart64_12.dll");
  dll("C:\\app\\cudart64_12.dll");
  dll("C:\\app\\user.dll", {"CUDART64_12.dll"});
  WindowsProcess process = started();
  process.load("c:/torch/./cudart64_12.dll", 0);
  const WindowsLoad user = process.load("user.dll", 0);
  ASSERT_TRUE(user.object);
  const WindowsNeed& need = process.objects()[*user.object].needs[0];
  EXPECT_EQ(need.rule, LoadRule::already_loaded);
  EXPECT_EQ(process.objects()[*need.object].file, "c:\\torch\\cudart64_12.dll");
  // A path means that very file.
  EXPECT_EQ(file(process, process.load("C:\\app\\cudart64_12.dll", 0)), "C:\\app\\cudart64_12.dll");
  EXPECT_EQ(process.load("C:\\TORCH\\CUDART64_12.DLL", 0).loaded.size(), 0U);
}

TEST_F(WindowsLoading, TheFirstFileFoundDecidesEvenIfItCannotBeLoaded) {
  PeDescription other;
  other.machine = 0x14c;
  other.plus = false;
  files.add_pe("C:\\app\\x.dll", other);
  dll("C:\\Windows\\System32\\x.dll");
  EXPECT_EQ(load("x.dll"), "193");
  const std::string whole = test::build_pe({.sections = {{".data", std::string(4096, 'x')}}}).bytes;
  files.add_file("C:\\app\\x.dll", whole.substr(0, whole.size() - 2048));
  EXPECT_EQ(load("x.dll"), "193");
  files.add_file("C:\\app\\x.dll", "");
  EXPECT_EQ(load("x.dll"), "193");
}

TEST_F(WindowsLoading, KnownDllsAndWhatTheyImportComeFromSystem32) {
  dll("C:\\Windows\\System32\\kernel32.dll", {"KERNELBASE"});
  dll("C:\\Windows\\System32\\kernelbase.dll");
  dll("C:\\app\\kernelbase.dll");
  dll("C:\\app\\kernel32.dll");
  EXPECT_EQ(load("kernel32.dll"), "C:\\Windows\\System32\\kernel32.dll");
  EXPECT_EQ(load("kernelbase.dll"), "C:\\Windows\\System32\\kernelbase.dll");
}

TEST_F(WindowsLoading, ApiSetsLeadToTheirHostInSystem32) {
  files.add_pe("C:\\Windows\\System32\\apisetschema.dll",
               {.sections = {{".apiset", api_set_section("api-ms-win-crt-heap-l1-1-0",
                                                         "ucrtbase.dll", "shim.dll", "own.dll")}}});
  dll("C:\\Windows\\System32\\ucrtbase.dll");
  dll("C:\\Windows\\System32\\own.dll");
  dll("C:\\app\\ucrtbase.dll");
  dll("C:\\app\\api-ms-win-crt-heap-l1-1-0.dll");
  dll("C:\\app\\shim.dll", {"api-ms-win-crt-heap-l1-1-1.dll", "API-MS-Win-Unknown-l1-1-0.dll"});
  dll("C:\\app\\api-ms-win-unknown-l1-1-0.dll");
  EXPECT_EQ(load("api-ms-win-crt-heap-l1-2-0.dll"), "126");
  EXPECT_EQ(load("api-ms-win-crt-heap-l1-1-3.dll"), "C:\\Windows\\System32\\ucrtbase.dll");
  WindowsProcess process = started();
  const WindowsLoad shim = process.load("shim.dll", 0);
  ASSERT_TRUE(shim.object);
  const auto& needs = process.objects()[*shim.object].needs;
  EXPECT_EQ(needs[0].rule, LoadRule::api_set);
  EXPECT_EQ(process.objects()[*needs[0].object].name, "own.dll");
  EXPECT_EQ(needs[1].rule, LoadRule::application_folder);  // a name that Windows does not know
}

TEST_F(WindowsLoading, WithoutASystemFolderWhatWindowsBringsIsTakenToBeThere) {
  files.remove("C:\\Windows\\System32\\kernel32.dll");
  dll("C:\\app\\x.dll", {"KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll", "bcrypt.dll"});
  WindowsProcess process = started();
  const WindowsLoad x = process.load("x.dll", 0);
  EXPECT_EQ(x.loaded.size(), 4U);
  EXPECT_EQ(process.objects().back().file, "");
  dll("C:\\app\\y.dll", {"nvcuda.dll"});
  EXPECT_EQ(process.load("y.dll", 0).missing, "nvcuda.dll");
}

TEST_F(WindowsLoading, AnAssemblyBesideTheFileComesBeforeTheSearch) {
  PeDescription pe;
  pe.imports = {{"msvcr90.dll", {{.name = "malloc"}}}};
  pe.resources = {{24, 2, 0x0409, kManifest}};
  files.add_pe("C:\\site\\old.dll", pe);
  dll("C:\\Windows\\System32\\msvcr90.dll");
  const std::string folder = "C:\\site\\Microsoft.VC90.CRT\\";
  dll(folder + "msvcr90.dll");
  files.add_file(folder + "Microsoft.VC90.CRT.manifest",
                 "<assembly><file name=\"msvcr90.dll\"/></assembly>");
  const auto runtime = [&] {
    WindowsProcess process = started();
    const WindowsLoad old = process.load("C:\\site\\old.dll", 0);
    return old.object ? process.objects()[*process.objects()[*old.object].needs[0].object].file
                      : old.fault;
  };
  EXPECT_EQ(runtime(), folder + "msvcr90.dll");
  const std::string store =
      "C:\\Windows\\WinSxS\\amd64_microsoft.vc90.crt_1fc8b3b9a1e18e3b_9.0.30729.";
  dll(store + "1_none_00\\msvcr90.dll");
  dll(store + "6161_none_00\\msvcr90.dll");
  EXPECT_EQ(runtime(), store + "6161_none_00\\msvcr90.dll");
}

TEST_F(WindowsLoading, AnAssemblyThatIsNowhereKeepsTheFileOut) {
  files.add_pe("C:\\site\\old.dll", {.resources = {{24, 2, 0x0409, kManifest}}});
  EXPECT_EQ(load("C:\\site\\old.dll"), "C:\\site\\old.dll");  // no WinSxS: nothing is known
  files.add_folder(
      "C:\\Windows\\WinSxS\\amd64_microsoft.vc80.crt_1fc8b3b9a1e18e3b_8.0.1.1_none_00");
  EXPECT_EQ(load("C:\\site\\old.dll"), "14001");
}

TEST_F(WindowsLoading, RedirectionWorksOnlyWhereItIsSwitchedOn) {
  dll("C:\\app\\x.dll");
  dll("C:\\app\\python.exe.local\\x.dll");
  EXPECT_EQ(load("x.dll"), "C:\\app\\x.dll");
  settings.local_redirection = true;
  EXPECT_EQ(load("x.dll"), "C:\\app\\python.exe.local\\x.dll");
  EXPECT_EQ(load("C:\\app\\x.dll"), "C:\\app\\python.exe.local\\x.dll");
}

TEST_F(WindowsLoading, DelayImportsAreToldButNotLoadedAndCirclesEnd) {
  dll("C:\\app\\a.dll", {"b.dll", "a.dll"}, {"nowhere.dll"});
  dll("C:\\app\\b.dll", {"a.dll", "B"});
  WindowsProcess process = started();
  const WindowsLoad a = process.load("a.dll", 0);
  EXPECT_EQ(a.loaded.size(), 2U);
  EXPECT_TRUE(process.objects()[*a.object].needs.back().delayed);
  EXPECT_FALSE(process.objects()[*a.object].needs.back().object);
  process.undo(a);
  EXPECT_EQ(process.objects().size(), 1U);
  EXPECT_FALSE(process.find_loaded("b.dll"));
}

TEST_F(WindowsLoading, TracingGoesOnPastWhatIsMissing) {
  program("C:\\app\\python.exe", {"gone.dll", "there.dll"});
  dll("C:\\app\\there.dll");
  WindowsProcess process(files, settings);
  EXPECT_TRUE(process.start("C:\\app\\python.exe", LoadMode::trace).object);
  EXPECT_EQ(process.objects()[0].needs[0].fault,
            "gone.dll: the specified module could not be found");
  EXPECT_TRUE(process.objects()[0].needs[1].object);
  WindowsProcess strict(files, settings);
  EXPECT_EQ(strict.start("C:\\app\\python.exe", LoadMode::strict).missing, "gone.dll");
}

TEST_F(WindowsLoading, ALongPathCostsOneLookPerFolder) {
  for (int i = 0; i < 10000; ++i) {
    settings.path.push_back("C:\\nowhere\\" + std::to_string(i));
  }
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) {
    names.push_back("missing" + std::to_string(i) + ".dll");
  }
  dll("C:\\app\\x.dll", names);
  WindowsProcess process = started();
  process.load("x.dll", 0, LoadMode::trace);
  EXPECT_LT(files.lookups(), 20000U);
  const std::string deep =
      "C:\\" + std::string(200, 'a') + "\\" + std::string(200, 'b') + "\\y.dll";
  dll(deep);
  EXPECT_EQ(load("\\\\?\\" + deep), deep);
}

}  // namespace
}  // namespace plumb

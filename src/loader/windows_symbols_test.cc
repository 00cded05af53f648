// SPDX-License-Identifier: Apache-2.0
#include "loader/windows_symbols.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "loader/fake_files_test.h"

namespace plumb {
namespace {

using test::FakeFiles;
using test::FakeSystem;
using test::PeDescription;

class WindowsProcedures : public testing::Test {
 protected:
  WindowsProcedures() {
    files.add_pe("C:\\Windows\\System32\\kernel32.dll",
                 {.dll_name = "kernel32.dll",
                  .exports = {{.name = "HeapAlloc", .forwarder = "ntdll.RtlAllocateHeap"},
                              {.name = "Numbered", .forwarder = "ntdll.#2"},
                              {.name = "Odd", .forwarder = "ntdll.Gone"}}});
    files.add_pe("C:\\Windows\\System32\\ntdll.dll",
                 {.dll_name = "ntdll.dll", .exports = {{.name = "RtlAllocateHeap"}, {.name = ""}}});
    files.add_pe("C:\\app\\ntdll.dll", {});
    files.add_pe("C:\\app\\python.exe", {.dll = false});
  }

  /// "NAME of DLL" for each that `pe` imports in vain.
  std::vector<std::string> missing(const PeDescription& pe, bool delayed = false) {
    files.add_pe("C:\\app\\x.dll", pe);
    WindowsSettings settings;
    settings.known_dlls = {"kernel32.dll"};
    WindowsProcess process(files, settings);
    process.start("C:\\app\\python.exe", LoadMode::strict);
    const WindowsLoad load = process.load("x.dll", 0, LoadMode::trace);
    const SymbolCheck check = check_procedures(process, load.loaded, delayed);
    EXPECT_TRUE(check.errors.empty());
    std::vector<std::string> names;
    for (const MissingSymbol& symbol : check.missing) {
      EXPECT_EQ(symbol.file, "C:\\app\\x.dll");
      names.push_back(symbol.symbol + " of " + symbol.expected_in);
    }
    return names;
  }

  FakeFiles files{FakeSystem::windows_like};
};

using Names = std::vector<std::string>;

TEST_F(WindowsProcedures, NamesAndOrdinalsAreLookedUpWithForwardersFollowed) {
  EXPECT_EQ(missing({.imports = {{"KERNEL32.dll",
                                  {{.name = "HeapAlloc"},
                                   {.name = "Numbered"},
                                   {.name = "Odd"},
                                   {.name = "heapalloc"},
                                   {.ordinal = 1},
                                   {.ordinal = 4}}}}}),
            (Names{"Odd of KERNEL32.dll", "heapalloc of KERNEL32.dll", "#4 of KERNEL32.dll"}));
}

TEST_F(WindowsProcedures, ForwardersInCirclesLeadNowhere) {
  files.add_pe("C:\\app\\a.dll",
               {.dll_name = "a.dll", .exports = {{.name = "f", .forwarder = "b.f"}}});
  files.add_pe("C:\\app\\b.dll",
               {.dll_name = "b.dll", .exports = {{.name = "f", .forwarder = "a.f"}}});
  EXPECT_EQ(missing({.imports = {{"a.dll", {{.name = "f"}}}}}), (Names{"f of a.dll"}));
}

TEST_F(WindowsProcedures, DelayImportsCountOnRequest) {
  const PeDescription pe{
      .delay_imports = {{"kernel32.dll", {{.name = "Nope"}}}, {"not_there.dll", {{.name = "f"}}}}};
  EXPECT_EQ(missing(pe), Names{});
  EXPECT_EQ(missing(pe, true), (Names{"Nope of kernel32.dll"}));
}

TEST_F(WindowsProcedures, AMissingDllIsNotAMissingProcedure) {
  EXPECT_EQ(missing({.imports = {{"not_there.dll", {{.name = "f"}}}}}), Names{});
}

}  // namespace
}  // namespace plumb

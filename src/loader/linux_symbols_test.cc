// SPDX-License-Identifier: Apache-2.0
#include "loader/linux_symbols.h"

#include <gtest/gtest.h>

#include <numeric>

#include "loader/fake_files_test.h"
#include "loader/symbol_copies.h"
#include "support/test_files.h"

namespace plumb {
namespace {

std::string real(const std::string& name) {
  const auto bytes = test::read_test_file("real/symbols/" + name);
  return std::string(as_text(bytes));
}

std::vector<std::size_t> all_of(const LinuxProcess& process) {
  std::vector<std::size_t> list(process.objects().size());
  std::iota(list.begin(), list.end(), 0);
  return list;
}

/// "file symbol@version of library", one a line.
std::string told(const std::vector<MissingSymbol>& missing) {
  std::string text;
  for (const MissingSymbol& it : missing) {
    text += it.file + " " + (it.whole_version ? "version" : it.symbol) + "@" + it.version + " of " +
            it.expected_in + "\n";
  }
  return text;
}

LinuxSettings settings() {
  LinuxSettings result = usual_linux_settings();
  result.library_path = "/lib";
  return result;
}

TEST(LinuxSymbols, AllThere) {
  test::FakeFiles files;
  files.add_file("/s/use.so", real("use.so"));
  files.add_file("/lib/libanswer.so", real("gnu.so"));
  LinuxProcess process(files, settings());
  ASSERT_TRUE(process.start("/s/use.so", LoadMode::trace).object);
  const SymbolCheck check = check_symbols(process, std::vector<std::size_t>{0});
  EXPECT_EQ(told(check.missing), "");
  EXPECT_EQ(check.looked_up, 1U);
}

TEST(LinuxSymbols, WhatALibraryWantsAndNobodyHas) {
  test::FakeFiles files;
  files.add_file("/s/use.so", real("use.so"));
  files.add_file("/lib/libanswer.so", real("sysv.so"));
  LinuxProcess process(files, settings());
  ASSERT_TRUE(process.start("/s/use.so", LoadMode::trace).object);
  const SymbolCheck check = check_symbols(process, all_of(process));
  EXPECT_EQ(told(check.missing), "/lib/libanswer.so wanted@ of \n");  // `maybe` is weak
}

TEST(LinuxSymbols, ALibraryInPlaceOfAnotherThatHasNoVersions) {
  test::FakeFiles files;
  files.add_file("/s/use.so", real("use.so"));
  files.add_file("/lib/libanswer.so", real("plain.so"));  // takes the place of the one with V_2
  LinuxProcess process(files, settings());
  ASSERT_TRUE(process.start("/s/use.so", LoadMode::trace).object);
  EXPECT_EQ(told(check_symbols(process, all_of(process)).missing), "");
}

TEST(LinuxSymbols, AnOldLibraryLacksTheWholeVersion) {
  test::FakeFiles files;
  files.add_file("/s/use.so", real("use.so"));
  test::ElfSpec old;
  old.soname = "libanswer.so";
  old.version_definitions = {"libanswer.so", "V_1"};
  old.symbols.push_back({.name = "answer", .version = "V_1"});
  old.symbol_count = test::ElfSymbolCount::gnu_hash;
  files.add_elf("/lib/libanswer.so", old);
  files.add_file("/opt/libanswer.so", real("gnu.so"));
  LinuxProcess process(files, settings());
  ASSERT_TRUE(process.start("/s/use.so", LoadMode::trace).object);
  SymbolCheck check = check_symbols(process, all_of(process));
  ASSERT_FALSE(check.missing.empty());
  EXPECT_TRUE(check.missing.front().whole_version);
  EXPECT_EQ(check.missing.front().version, "V_2");
  EXPECT_EQ(check.missing.front().expected_in, "/lib/libanswer.so");
  find_symbol_copies(process, {"/opt"}, check.missing);
  EXPECT_EQ(check.missing.front().also_in, "/opt/libanswer.so");
}

TEST(LinuxSymbols, ADlopenedLibrarySeesItsOwnListAndWhatIsGlobal) {
  test::FakeFiles files;
  files.add_elf("/s/program",
                {.soname = {}, .interpreter = "/lib64/ld-linux-x86-64.so.2", .needed = {}});
  files.add_file("/s/libanswer.so", real("gnu.so"));   // wants `wanted`
  files.add_file("/s/libplain.so", real("plain.so"));  // has it
  for (const bool global : {false, true}) {
    LinuxProcess process(files, settings());
    process.start_unknown("/s/program");
    LinuxOpenOptions options;
    options.global = global;
    ASSERT_TRUE(process.open("/s/libplain.so", options).object);
    const LinuxOpen opened = process.open("/s/libanswer.so", {});
    ASSERT_TRUE(opened.object);
    EXPECT_EQ(told(check_symbols(process, opened.loaded).missing),
              global ? "" : "/s/libanswer.so wanted@ of \n");
  }
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// The cases of tests/loader, of which tools/compare_loader.py shows that the real ld.so does what
// they expect, on a tree in memory: so the replay of Linux is tested on Windows too.
#include "loader/linux_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "loader/fake_files_test.h"
#include "support/loader_scenario.h"
#include "support/test_files.h"

namespace plumb {
namespace {

using Json = nlohmann::json;

constexpr const char* kWorld = "/w";
constexpr const char* kSystem = "/lib/x86_64-linux-gnu/";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::optional<std::string> text_at(const Json& file, const char* key) {
  return file.contains(key) ? std::optional(file[key].get<std::string>()) : std::nullopt;
}

test::ElfSpec spec_of(const Json& file) {
  test::ElfSpec spec;
  const std::string machine = file.value("machine", "x86_64");
  spec.is64 = machine != "i386";
  spec.machine = machine == "i386" ? 3 : machine == "aarch64" ? 183 : 62;
  spec.soname = text_at(file, "soname");
  spec.rpath = text_at(file, "rpath");
  spec.runpath = text_at(file, "runpath");
  spec.needed = file.value("needed", std::vector<std::string>{});
  spec.symbolic = file.value("symbolic", false);
  for (const Json& flag : file.value("flags", Json::array())) {
    spec.flags_1 |= flag == "nodefaultlib" ? kDf1NoDefaultLibraries : kDf1NoOpen;
  }
  spec.symbols.push_back({.name = "in_every_one"});
  for (const Json& name : file.value("defines", Json::array())) {
    spec.symbols.push_back({.name = name.get<std::string>()});
  }
  return spec;
}

/// False: the tree in memory has nothing of that kind.
bool add_file(test::FakeFiles& files, const Json& file) {
  const std::string path = std::string(kWorld) + "/" + file.at("path").get<std::string>();
  const std::string kind = file.value("kind", "library");
  if (kind == "library") {
    files.add_elf(path, spec_of(file));
  } else if (kind == "link") {
    const std::string target = file.at("target").get<std::string>();
    files.add_link(path, target);
    return !path.ends_with("/" + target);  // a circle
  } else if (kind == "folder") {
    files.add_folder(path);
  } else if (kind == "empty" || kind == "garbage") {
    files.add_file(path, kind == "empty" ? "" : "GROUP ( libx.so.1 )" + std::string(80, ' '));
  } else {
    return false;
  }
  return true;
}

/// The case's answer; "" if the tree in memory cannot hold its world.
std::string replay(const Json& scenario) {
  test::FakeFiles files;
  LinuxSettings settings = usual_linux_settings();
  for (const char* name : {"libc.so.6", "libutil.so.1", "ld-linux-x86-64.so.2"}) {
    files.add_elf(std::string(kSystem) + name, {.soname = name});
    settings.cache.push_back({name, std::string(kSystem) + name, {}});
  }
  files.add_link(settings.loader, std::string(kSystem) + "ld-linux-x86-64.so.2");
  files.add_folder(kWorld);
  for (const Json& file : scenario.value("files", Json::array())) {
    if (!add_file(files, file)) {
      return {};
    }
  }
  const Json program = scenario.value("program", Json::object());
  test::ElfSpec spec = spec_of(program);
  spec.needed.emplace_back("libc.so.6");
  spec.interpreter = settings.loader;
  spec.flags_1 |= kDf1Pie;
  files.add_elf(std::string(kWorld) + "/" + program.value("path", "program"), spec);

  const Json environment = scenario.value("environment", Json::object());
  settings.library_path = environment.value("LD_LIBRARY_PATH", "");
  settings.preload = environment.value("LD_PRELOAD", "");
  settings.current_folder = kWorld;
  if (scenario.contains("cwd")) {
    settings.current_folder += "/" + scenario["cwd"].get<std::string>();
    files.add_folder(settings.current_folder);
  }
  settings.hwcaps = {"glibc-hwcaps/x86-64-v2", "tls/x86_64", "tls", "x86_64"};
  return test::replay_scenario(scenario.dump(), kWorld, files, settings);
}

TEST(LinuxProcess, DoesInEachCaseWhatLdSoDoes) {
  const LinuxSettings settings = usual_linux_settings();
  int replayed = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PLUMB_TESTS_DIR) + "/loader")) {
    const std::string name = entry.path().filename().string();
    const std::vector<std::byte> bytes = test::read_test_file("loader/" + name);
    std::string text(as_text(bytes));
    text = replaced(text, "[W]", kWorld);
    text = replaced(text, "[LIB]", settings.lib);
    text = replaced(text, "[PLATFORM]", settings.platform);
    const Json scenario = Json::parse(text);
    const std::string said = replay(scenario);
    if (said.empty()) {
      continue;
    }
    ++replayed;
    const std::vector<std::string_view> lines = split(said, '\n');
    for (const Json& line : scenario.at("expect")) {
      EXPECT_NE(std::ranges::find(lines, line.get<std::string>()), lines.end())
          << name << ": " << line << "\n"
          << said;
    }
    for (const Json& line : scenario.value("expect_not", Json::array())) {
      EXPECT_EQ(std::ranges::find(lines, line.get<std::string>()), lines.end())
          << name << ": " << line << "\n"
          << said;
    }
  }
  EXPECT_GE(replayed, 50);
}

TEST(LinuxProcess, TenThousandFoldersAreLookedThroughOnce) {
  test::FakeFiles files;
  LinuxSettings settings = usual_linux_settings();
  test::ElfSpec program{.interpreter = settings.loader};
  for (int i = 0; i < 10'000; ++i) {
    settings.library_path += "/missing/" + std::to_string(i) + ':';
  }
  settings.library_path += "/lib";
  for (int i = 0; i < 100; ++i) {
    const std::string name = "lib" + std::to_string(i) + ".so";
    files.add_elf("/lib/" + name, {.soname = name});
    program.needed.push_back(name);
  }
  files.add_elf("/bin/program", program);
  LinuxProcess process(files, settings);
  EXPECT_TRUE(process.start("/bin/program", LoadMode::strict).object);
  EXPECT_EQ(process.objects().size(), 102U);  // with the program and ld.so
  EXPECT_LT(files.lookups(), 20'000U);
}

TEST(LinuxProcess, AFailedOpenIsTakenBack) {
  test::FakeFiles files;
  const LinuxSettings settings = usual_linux_settings();
  files.add_elf("/bin/program", {.interpreter = settings.loader, .needed = {}});
  files.add_elf("/x/liba.so", {.runpath = "$ORIGIN", .needed = {"libb.so"}});
  files.add_elf("/x/libb.so", {.soname = "libb.so"});
  LinuxProcess process(files, settings);
  ASSERT_TRUE(process.start("/bin/program", LoadMode::strict).object);
  ASSERT_TRUE(process.open("/x/libb.so", {}).object);
  const std::size_t before = process.objects().size();
  const std::vector<std::size_t> global = process.global_scope();
  const LinuxOpen opened = process.open("/x/liba.so", {.global = true});
  ASSERT_TRUE(opened.object);
  EXPECT_EQ(process.global_scope().size(), global.size() + 2);
  process.undo(opened);
  EXPECT_EQ(process.objects().size(), before);
  EXPECT_EQ(process.global_scope(), global);
  EXPECT_FALSE(process.objects().back().global);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// Links, which a test can make on Linux only.
#include "observe/python_world.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;
namespace fs = std::filesystem;

TEST(PythonWorldLinks, LinksAndLoops) {
  FakeHost fake("linux");
  fake.write("usr/bin/python3.12", "x");
  fs::create_symlink("python3.12", fake.path("usr/bin/python3"));
  fs::create_symlink("loop", fake.path("usr/bin/python"));
  fs::create_symlink("python", fake.path("usr/bin/loop"));
  fake.write("home/.venvs/real/pyvenv.cfg", "home = /usr/bin\n");
  fake.make_folder("home/.venvs/real/bin");
  fs::create_symlink("/no/such/python", fake.path("home/.venvs/real/bin/python"));
  fs::create_symlink("real", fake.path("home/.venvs/again"));
  fs::create_symlink("circle", fake.path("home/.venvs/circle"));
  fs::create_symlink("nowhere", fake.path("home/.venvs/dead"));
  const PythonWorld world = observe_python_world(fake.host());
  ASSERT_EQ(world.interpreters.size(), 1U);
  EXPECT_EQ(fake.relative(world.interpreters[0].path), "usr/bin/python3.12");
  ASSERT_EQ(world.interpreters[0].names.size(), 1U);
  ASSERT_EQ(world.environments.size(), 1U);
  EXPECT_EQ(world.environments[0].broken, BrokenBy::no_interpreter);
}

}  // namespace
}  // namespace plumb

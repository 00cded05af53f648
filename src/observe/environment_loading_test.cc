// SPDX-License-Identifier: Apache-2.0
#include "observe/environment_loading.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"
#include "observe/python_environment.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(EnvironmentLoading, CondasActivationPutsItsFoldersFirst) {
  FakeHost fake("windows");
  fake.make_folder("Windows/System32");
  fake.make_folder("conda/conda-meta");
  fake.make_folder("conda/Lib/site-packages");
  fake.write("conda/python.exe", test::windows_library({}));
  fake.write("conda/python312.dll", test::windows_library({}));
  const PythonSearch search = find_python_environment(fake.host(), fake.path("conda"));
  ASSERT_TRUE(search.environment);
  RealFiles files(fake.host(), "windows");
  const PythonEnvironment& environment = *search.environment.value;
  const ReplayedProcess process =
      start_python(fake.host(), files, environment, python_place(fake.host(), files, environment));
  ASSERT_TRUE(process.on_windows);
  const std::vector<std::string>& path = process.on_windows->settings().path;
  ASSERT_EQ(path.size(), 6U);
  EXPECT_EQ(path[0], "C:\\conda");
  EXPECT_EQ(path[3], "C:\\conda\\Library\\bin");
}

TEST(EnvironmentLoading, AVenvRunsThePythonThatItWasMadeFrom) {
  FakeHost fake("windows");
  fake.write("Python312/python.exe", test::windows_library({}));
  fake.write("ml/pyvenv.cfg", "home = C:\\Python312\nversion = 3.12.8\n");
  fake.make_folder("ml/Lib/site-packages");
  fake.write("ml/Scripts/python.exe");
  const PythonSearch search = find_python_environment(fake.host(), fake.path("ml"));
  ASSERT_TRUE(search.environment);
  RealFiles files(fake.host(), "windows");
  const PythonEnvironment& environment = *search.environment.value;
  const ReplayedProcess process =
      start_python(fake.host(), files, environment, python_place(fake.host(), files, environment));
  ASSERT_TRUE(process.on_windows && !process.on_windows->objects().empty());
  EXPECT_EQ(process.on_windows->objects().front().file, "C:\\Python312\\python.exe");
}

}  // namespace
}  // namespace plumb

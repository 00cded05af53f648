// SPDX-License-Identifier: Apache-2.0
#include "observe/real_files.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"
#include "observe/linux_settings.h"
#include "os/environment.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(RealFiles, AWindowsTreeIsReadWhateverTheCase) {
  FakeHost fake("windows");
  const std::string file = fake.write("Windows/System32/KERNEL32.dll", test::windows_library({}));
  RealFiles files(fake.host(), "windows");
  EXPECT_EQ(files.entry("C:\\windows\\SYSTEM32\\kernel32.DLL").kind, EntryKind::file);
  EXPECT_EQ(files.entry("c:\\Windows\\x\\..\\System32").kind, EntryKind::folder);
  EXPECT_EQ(files.entry("D:\\Windows").kind, EntryKind::none);
  EXPECT_EQ(files.there(file), "C:\\Windows\\System32\\KERNEL32.dll");
  EXPECT_TRUE(files.pe("C:\\Windows\\System32\\kernel32.dll"));
  EXPECT_EQ(files.pe("C:\\Windows\\System32\\gone.dll").error().code, ErrorCode::not_found);
}

TEST(RealFiles, ALinuxTreeKeepsItsOwnPaths) {
  FakeHost fake("linux");
  const std::string file = fake.write("usr/lib/libz.so.1", test::linux_library({}));
  RealFiles files(fake.host(), "linux");
  EXPECT_EQ(files.there(file), "/usr/lib/libz.so.1");
  EXPECT_EQ(files.entry("/usr/lib/libz.so.1").kind, EntryKind::file);
  EXPECT_EQ(files.entry("/usr/lib/../lib/libz.so.1").identity,
            files.entry("/usr/lib/libz.so.1").identity);
  EXPECT_EQ(files.list("/usr/lib"), std::vector<std::string>{"libz.so.1"});
}

TEST(RealFiles, ALinkInAMountedSystemMeansThatSystemsFile) {
  if (system_name() == "windows") {
    GTEST_SKIP() << "Windows follows links itself";
  }
  FakeHost fake("linux");
  fake.write("opt/libz.so.1", test::linux_library({}));
  fake.make_folder("usr/lib");
  std::filesystem::create_symlink("/opt/libz.so.1", fake.path("usr/lib/libz.so"));
  std::filesystem::create_symlink("b", fake.path("usr/lib/a"));
  std::filesystem::create_symlink("a", fake.path("usr/lib/b"));
  RealFiles files(fake.host(), "linux");
  EXPECT_EQ(files.entry("/usr/lib/libz.so").kind, EntryKind::file);
  EXPECT_TRUE(files.elf("/usr/lib/libz.so"));
  EXPECT_EQ(files.entry("/usr/lib/a").kind, EntryKind::loop);
}

TEST(LinuxSettings, FoldersAndVersionComeFromTheLoadersOwnBytes) {
  constexpr char kBytes[] =
      "\1\2/etc/ld.so.cache\0/lib64/\0/usr/lib64/\0x\0ld.so (GNU libc) stable release version "
      "2.34.\0";
  const BuiltIntoLoader built = find_built_into_loader(std::string_view(kBytes, sizeof kBytes - 1));
  EXPECT_EQ(built.default_folders, (std::vector<std::string>{"/lib64", "/usr/lib64"}));
  EXPECT_EQ(built.glibc_minor, 34);
  EXPECT_TRUE(find_built_into_loader("").default_folders.empty());
}

TEST(LinuxSettings, ADamagedCacheIsToldAndTheRestStands) {
  FakeHost fake("linux");
  fake.write("etc/ld.so.cache", "glibc-ld.so.cache1.1 and nothing more");
  fake.set("LD_LIBRARY_PATH", "/opt/lib");
  RealFiles files(fake.host(), "linux");
  std::vector<Error> errors;
  const LinuxSettings settings = observe_linux_settings(fake.host(), files, "/bin/x", errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().where, "/etc/ld.so.cache");
  EXPECT_EQ(settings.library_path, "/opt/lib");
  EXPECT_FALSE(settings.default_folders.empty());
}

}  // namespace
}  // namespace plumb

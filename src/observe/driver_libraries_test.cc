// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_libraries.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr std::string_view kNoteText =
    R"({"format":1,"CUDA version":"13.0","driver":[535,550,580],"device":[1,2]})";

std::string number(std::size_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

/// As in cuda-compat 13.0: a name of 19 bytes, filled up to 20, type 0, text with a NUL.
std::string compat_library(const std::string& text) {
  test::ElfSpec spec;
  const std::string name("NVIDIA Corporation\0\0", 20);
  spec.sections.push_back(
      {".note.cuda.fwd_compatibility", number(19) + number(text.size()) + number(0) + name + text});
  return test::build_elf(spec).bytes;
}

TEST(DriverLibraries, EveryCopyWithItsVersionAndSize) {
  FakeHost fake("linux");
  fake.write("usr/lib64/libcuda.so.580.95.05", "elf");
  fake.write("usr/lib64/libnvidia-ml.so.570.133.07", "elf");
  fake.write("usr/lib64/libcudart.so.13", "elf");
  fake.write("usr/lib64/libcuda.so.570.133.07", "");
  fake.write("opt/driver/libnvidia-ptxjitcompiler.so.1", "elf");
  fake.set("LD_LIBRARY_PATH", ":relative:/opt/driver/:/opt/driver");
  const DriverLibraries facts = observe_driver_libraries(fake.host(), {});
  ASSERT_EQ(facts.libraries.size(), 4U);
  EXPECT_EQ(facts.libraries[0].path, "/opt/driver/libnvidia-ptxjitcompiler.so.1");
  EXPECT_EQ(facts.libraries[0].version, "");
  EXPECT_EQ(facts.libraries[1].library, "libcuda");
  EXPECT_EQ(facts.libraries[1].size, 0U);  // a leftover
  EXPECT_EQ(facts.libraries[2].version, "580.95.05");
  EXPECT_EQ(facts.libraries[3].library, "libnvidia-ml");
}

TEST(DriverLibraries, FoldersOfTheLoadersCacheCount) {
  const FakeHost fake("linux");
  fake.write("opt/odd/libcuda.so.1", "elf");
  const std::vector<CachedLibrary> cache = {{"libcuda.so.1", "/opt/odd/libcuda.so.1"}};
  const DriverLibraries facts = observe_driver_libraries(fake.host(), cache);
  ASSERT_EQ(facts.libraries.size(), 1U);
  EXPECT_EQ(facts.libraries[0].path, "/opt/odd/libcuda.so.1");
}

TEST(DriverLibraries, CompatLibrariesSayWithWhichModulesTheyWork) {
  const FakeHost fake("linux");
  fake.write("usr/local/cuda-13.0/compat/libcuda.so.580.95.05",
             compat_library(std::string(kNoteText) + '\0'));
  fake.write("usr/local/cuda-11.8/compat/libcuda.so.520.61.05", test::linux_library({}));
  const DriverLibraries facts = observe_driver_libraries(fake.host(), {});
  EXPECT_TRUE(facts.libraries.empty());
  ASSERT_EQ(facts.compat.size(), 2U);
  EXPECT_EQ(facts.compat[0].version, "520.61.05");
  EXPECT_FALSE(facts.compat[0].note);
  EXPECT_FALSE(facts.compat[0].note.fault);
  EXPECT_EQ(facts.compat[1].note.value, kNoteText);
  EXPECT_EQ(facts.compat[1].cuda, "13.0");
  EXPECT_EQ(facts.compat[1].driver_majors, (std::vector<std::uint32_t>{535, 550, 580}));
}

TEST(DriverLibraries, DamagedNotes) {
  const std::string whole = compat_library(std::string(kNoteText));
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, whole.size() / 2}) {
    EXPECT_FALSE(read_compat_note(MemorySource(std::string_view(whole).substr(0, size)))) << size;
  }
  std::string lying = whole;
  const std::size_t note = lying.find("NVIDIA Corporation");
  test::poke(lying, note - 8, 0xffffffff, 4);
  EXPECT_FALSE(read_compat_note(MemorySource(lying)));
  CompatLibrary library;
  for (const char* json : {"", "[", "[1]", R"({"driver":{},"CUDA version":7})",
                           R"({"driver":["x",-1,1e9,99999999999]})"}) {
    parse_compat_note(json, library);
  }
  EXPECT_EQ(library.cuda, "");
  EXPECT_TRUE(library.driver_majors.empty());
}

TEST(DriverLibraries, StubsAndCompatOnTheSearchPath) {
  FakeHost fake("linux");
  fake.write("usr/local/cuda/lib64/stubs/libcuda.so", "elf");
  fake.write("usr/local/cuda/compat/libcuda.so.1", "elf");
  fake.make_folder("opt/stubs");
  fake.set("LD_LIBRARY_PATH", "/usr/local/cuda/lib64/stubs/:/usr/local/cuda/compat:/opt/stubs");
  const DriverLibraries facts = observe_driver_libraries(fake.host(), {});
  ASSERT_EQ(facts.odd_folders.size(), 2U);
  EXPECT_EQ(facts.odd_folders[0].kind, OddFolderKind::stubs);
  EXPECT_FALSE(facts.odd_folders[0].has_libcuda);
  EXPECT_EQ(facts.odd_folders[1].kind, OddFolderKind::compat);
  EXPECT_TRUE(facts.odd_folders[1].has_libcuda);
  EXPECT_TRUE(facts.libraries.empty());
}

}  // namespace
}  // namespace plumb

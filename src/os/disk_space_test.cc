// SPDX-License-Identifier: Apache-2.0
#include "os/disk_space.h"

#include <gtest/gtest.h>

#include "os/environment.h"
#include "os/memory_state.h"
#include "support/temp_folder.h"

namespace plumb {
namespace {

TEST(DiskSpace, OfAFolderWithAForeignName) {
  const test::TempFolder folder;
  folder.write("显卡 驱动/file", "x");
  const auto space = disk_space(folder.path("显卡 驱动"));
  ASSERT_TRUE(space);
  EXPECT_GT(space->total_bytes, 0U);
  EXPECT_LE(space->free_bytes, space->total_bytes);
}

TEST(DiskSpace, OfAMissingFolderIsNotFound) {
  const test::TempFolder folder;
  const auto space = disk_space(folder.path("gone/deeper"));
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::not_found);
}

TEST(DiskSpace, NetworkSharesAreToldByName) {
  const bool windows = system_name() == "windows";
  EXPECT_EQ(is_on_network("\\\\server\\share\\x"), windows);
  EXPECT_FALSE(is_on_network("C:\\Windows"));
  EXPECT_FALSE(is_on_network("/usr"));
  EXPECT_EQ(disk_space("\\\\server\\share\\x").error().code,
            windows ? ErrorCode::unsupported : ErrorCode::not_found);
}

TEST(MemoryState, IsKnownOnWindows) {
  const auto memory = memory_state();
  ASSERT_EQ(memory.has_value(), system_name() == "windows");
  if (memory) {
    EXPECT_GE(memory->total_bytes, memory->available_bytes);
    EXPECT_GE(memory->commit_limit_bytes, memory->commit_available_bytes);
  }
}

}  // namespace
}  // namespace plumb

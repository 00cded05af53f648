// SPDX-License-Identifier: Apache-2.0
#include "os/device_node.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace plumb {
namespace {

TEST(DeviceNode, NumbersAndRightsOfADevice) {
  const auto node = node_status("/dev/null");
  ASSERT_TRUE(node) << node.error().what;
  EXPECT_TRUE(node->is_device);
  EXPECT_EQ(node->major, 1U);
  EXPECT_EQ(node->minor, 3U);
  EXPECT_TRUE(node->accessible);
}

TEST(DeviceNode, APlainFileInItsPlaceIsNoDevice) {
  const test::TempFolder folder;
  const auto node = node_status(folder.write("nvidia0", ""));
  ASSERT_TRUE(node);
  EXPECT_FALSE(node->is_device);
  EXPECT_EQ(node->major, 0U);
}

TEST(DeviceNode, AMissingOneIsNotFound) {
  const test::TempFolder folder;
  const auto node = node_status(folder.path("nvidia0"));
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#include "os/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace plumb {
namespace {

TEST(ParallelFor, DoesEachTaskOnce) {
  for (const unsigned threads : {0U, 1U, 3U, 64U}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(done.size(), [&](std::size_t i) { ++done[i]; }, threads);
    for (const auto& count : done) {
      ASSERT_EQ(count, 1);
    }
  }
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, WorksOnSeveralThreadsOfWhichTheCallersIsOne) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> waiting{0};
  parallel_for(
      3,
      [&](std::size_t) {
        {
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        }
        ++waiting;
        while (waiting < 3) {  // ends only when three threads are in at once
          std::this_thread::yield();
        }
      },
      3);
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
}

TEST(UsableCores, IsAtLeastOneAndAtMostWhatTheMachineHas) {
  EXPECT_GE(usable_cores(), 1U);
  EXPECT_LE(usable_cores(), std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace plumb

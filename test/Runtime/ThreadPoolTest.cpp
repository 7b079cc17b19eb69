#include "mpc/Runtime/ThreadPool.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace mpc::runtime;

TEST(ThreadPool, EveryChunkOnce) {
  for (uint32_t threads : {1, 2, 3, 8}) {
    auto pool = ThreadPool::create(threads, nullptr);
    ASSERT_TRUE(pool);
    EXPECT_EQ((*pool)->size(), threads);
    for (uint32_t chunks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> seen(chunks);
      auto mark = [](void *context, uint32_t chunk, uint32_t) {
        (*static_cast<std::vector<std::atomic<int>> *>(context))[chunk]++;
      };
      for (int round = 1; round <= 200; ++round) {
        (*pool)->run(chunks, mark, &seen);
        for (auto &count : seen)
          ASSERT_EQ(count, round);
      }
    }
  }
}

/// What chunks write, the caller reads after run, without further ado.
TEST(ThreadPool, ResultsAreVisible) {
  auto pool = ThreadPool::create(4, nullptr);
  std::vector<uint64_t> values(64);
  auto add = [](void *context, uint32_t chunk, uint32_t) {
    (*static_cast<std::vector<uint64_t> *>(context))[chunk] += chunk;
  };
  for (int round = 0; round < 20000; ++round)
    (*pool)->run(64, add, &values);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), uint64_t(0)),
            uint64_t(20000) * 64 * 63 / 2);
}

TEST(ThreadPool, WorkersAreNotShared) {
  constexpr uint32_t threads = 3;
  auto pool = ThreadPool::create(threads, nullptr);
  std::atomic<int> inUse[threads] = {};
  static constexpr uint32_t limit = threads;
  auto enter = [](void *context, uint32_t, uint32_t worker) {
    auto *use = static_cast<std::atomic<int> *>(context);
    ASSERT_LT(worker, limit);
    EXPECT_EQ(use[worker].fetch_add(1), 0);
    use[worker].fetch_sub(1);
  };
  for (int round = 0; round < 2000; ++round)
    (*pool)->run(32, enter, inUse);
}

/// Workers that went to sleep come back.
TEST(ThreadPool, SleepsAndWakes) {
  auto pool = ThreadPool::create(3, nullptr);
  std::atomic<int> count{0};
  auto add = [](void *context, uint32_t, uint32_t) {
    (*static_cast<std::atomic<int> *>(context))++;
  };
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    (*pool)->run(9, add, &count);
  }
  EXPECT_EQ(count, 180);
}

// Ranks of a store that are threads of one process, and what they hear of each
// other.
#ifndef MPC_TEST_RANKS_STORERANKS_H
#define MPC_TEST_RANKS_STORERANKS_H

#include "TestLaunch.h"

#include <algorithm>
#include <condition_variable>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

namespace mpc::test {

using namespace ranks;
using namespace std::chrono_literals;

inline const ranks::Agreement kAgreement = {"0.1.0", "abc"};

struct Losses {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<uint32_t, std::string> known;
  std::map<uint32_t, uint64_t> finished;
  void add(const Loss &loss) {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(known.emplace(loss.rank, loss.reason).second) << loss.rank;
    finished[loss.rank] = loss.finished;
    changed.notify_all();
  }
  /// After a while in which one would have come.
  std::map<uint32_t, std::string> afterAWhile() {
    std::this_thread::sleep_for(300ms);
    return wait(0);
  }
  std::map<uint32_t, std::string> wait(size_t count) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, 10s, [&] { return known.size() >= count; });
    return known;
  }
};

using Joined = Result<std::unique_ptr<Store>>;

/// All ranks, joined by a thread each.
struct Ranks {
  explicit Ranks(const std::vector<std::pair<Launch, Agreement>> &each,
                 std::chrono::milliseconds limit = 20s)
      : losses(each.size()), stores(each.size()) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < each.size(); ++i)
      threads.emplace_back([&, i] {
        stores[i].emplace(
            Store::join(each[i].first, each[i].second, Clock::now() + limit,
                        [this, i](const Loss &loss) { losses[i].add(loss); }));
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  explicit Ranks(uint32_t size) : Ranks(alike(size)) {}
  /// Rank 0 waits for the others.
  ~Ranks() {
    while (!stores.empty())
      stores.pop_back();
  }
  static std::vector<std::pair<Launch, Agreement>> alike(uint32_t size) {
    std::vector<std::pair<Launch, Agreement>> each;
    uint16_t port = pickPort();
    for (uint32_t rank = 0; rank < size; ++rank)
      each.emplace_back(makeLaunch(rank, size, port), kAgreement);
    return each;
  }
  Store &operator[](size_t rank) { return ***stores[rank]; }
  const Status &status(size_t rank) { return stores[rank]->status(); }
  bool areThere() const {
    return std::ranges::all_of(stores,
                               [](const auto &store) { return bool(*store); });
  }
  void leave(size_t rank) { stores[rank].reset(); }

  std::vector<Losses> losses;
  std::vector<std::optional<Joined>> stores;
};

inline Clock::time_point soon() { return Clock::now() + 10s; }

} // namespace mpc::test

#endif // MPC_TEST_RANKS_STORERANKS_H

// Groups of ranks that are threads of one process.
#ifndef MPC_TEST_RANKS_THREADWORLD_H
#define MPC_TEST_RANKS_THREADWORLD_H

#include "ThreadTransport.h"
#include "mpc/Ranks/Group.h"

#include <functional>
#include <thread>

namespace mpc::test {

using namespace ranks;

/// A group per rank, each used by a thread of its own.
struct World {
  explicit World(uint32_t size, GroupOptions options = {}) {
    for (uint32_t rank = 0; rank < size; ++rank)
      groups.push_back(std::make_unique<Group>(
          std::make_unique<ThreadTransport>(mail, rank, size), options));
  }
  void each(const std::function<void(Group &group, uint32_t rank)> &run) {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < groups.size(); ++rank)
      threads.emplace_back([&, rank] { run(*groups[rank], rank); });
    for (std::thread &thread : threads)
      thread.join();
  }

  std::shared_ptr<Mail> mail = std::make_shared<Mail>();
  std::vector<std::unique_ptr<Group>> groups;
};

} // namespace mpc::test

#endif // MPC_TEST_RANKS_THREADWORLD_H

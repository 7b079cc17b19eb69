// How ranks share the processors that they may run on.
#include "mpc/Ranks/Processors.h"

#include <gtest/gtest.h>
#include <sched.h>

using namespace mpc::ranks;

namespace {

ProcessorSet makeSet(uint64_t machine, uint32_t first, uint32_t count) {
  ProcessorSet set;
  set.machine = machine;
  for (uint32_t each = first; each < first + count; ++each)
    set.mask[each / 64] |= uint64_t(1) << each % 64;
  return set;
}

std::vector<uint32_t> shares(const std::vector<ProcessorSet> &ranks) {
  std::vector<uint32_t> found;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    found.push_back(countShare(ranks, rank));
  return found;
}

} // namespace

using Counts = std::vector<uint32_t>;

TEST(Processors, FreeRanksShareAll) {
  ProcessorSet all = makeSet(1, 0, 8);
  EXPECT_EQ(shares({all}), Counts{8});
  EXPECT_EQ(shares({all, all}), (Counts{4, 4}));
  EXPECT_EQ(shares({all, all, all}), (Counts{2, 2, 2}));
  ProcessorSet three = makeSet(1, 62, 3); // of two words
  EXPECT_EQ(shares({three, three, three}), (Counts{1, 1, 1}));
  ProcessorSet one = makeSet(1, 5, 1);
  EXPECT_EQ(shares({one, one}), (Counts{1, 1}));
}

/// As mpirun does: to cores (--map-by slot:PE=4), or all of a socket to it.
TEST(Processors, BoundRanksKeepTheirOwn) {
  EXPECT_EQ(shares({makeSet(1, 0, 4), makeSet(1, 4, 4)}), (Counts{4, 4}));
  ProcessorSet left = makeSet(1, 0, 8), right = makeSet(1, 8, 8);
  EXPECT_EQ(shares({left, left, right, right}), (Counts{4, 4, 4, 4}));
  // One is bound within what the other may use.
  EXPECT_EQ(shares({makeSet(1, 0, 4), makeSet(1, 0, 2)}), (Counts{3, 1}));
}

TEST(Processors, OtherMachinesAreOthers) {
  EXPECT_EQ(shares({makeSet(1, 0, 8), makeSet(2, 0, 8), makeSet(2, 0, 8)}),
            (Counts{8, 4, 4}));
}

TEST(Processors, AreThoseThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(ownProcessors().count(), uint32_t(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int each = 0; each < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++each)
    if (CPU_ISSET(each, &before))
      CPU_SET(each, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(ownProcessors().count(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

#include "mpc/Ranks/Processors.h"

#include "Rendezvous.h"

#include <algorithm>
#include <bit>
#include <sched.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::ranks;

uint32_t ProcessorSet::count() const {
  uint32_t count = 0;
  for (uint64_t word : mask)
    count += static_cast<uint32_t>(std::popcount(word));
  return count;
}

ProcessorSet ranks::ownProcessors() {
  ProcessorSet own;
  std::string machine = nameMachine();
  own.machine = XXH3_64bits(machine.data(), machine.size());
  // Nobody knows: count() is 0 then.
  (void)sched_getaffinity(0, sizeof own.mask,
                          reinterpret_cast<cpu_set_t *>(own.mask.data()));
  return own;
}

uint32_t ranks::countShare(const std::vector<ProcessorSet> &ranks,
                           uint32_t rank) {
  const ProcessorSet &own = ranks[rank];
  double share = 0;
  for (size_t processor = 0; processor < own.mask.size() * 64; ++processor) {
    auto mayUse = [&](const ProcessorSet &other) {
      return other.machine == own.machine &&
             (other.mask[processor / 64] >> processor % 64 & 1);
    };
    if (mayUse(own))
      share += 1.0 / double(std::ranges::count_if(ranks, mayUse));
  }
  // A third of a processor, three times, is one.
  return std::max(1u, static_cast<uint32_t>(share + 1e-6));
}

Result<uint32_t> ranks::shareProcessors(Group &group) {
  ProcessorSet own = ownProcessors();
  std::vector<ProcessorSet> all(group.size());
  static_assert(sizeof own % sizeof(uint64_t) == 0);
  Status status = group.run({.kind = CollectiveKind::AllGather,
                             .type = DType::I64,
                             .count = sizeof own / sizeof(uint64_t),
                             .source = &own,
                             .result = all.data(),
                             .name = "the processors of each"});
  if (!status.ok())
    return status;
  return countShare(all, group.rank());
}

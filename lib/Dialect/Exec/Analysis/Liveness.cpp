#include "mpc/Dialect/Exec/Analysis/Liveness.h"

using namespace mpc;
using namespace mpc::exec;

Liveness::Liveness(EntryOp entry) {
  DenseMap<Value, size_t> numberOf;
  for (auto alloc : entry.getOps<AllocOp>()) {
    numberOf[alloc] = allBuffers.size();
    allBuffers.push_back(
        {alloc, alignUp(getBytes(alloc.getBuffer().getType())), -1, -1});
  }
  auto touch = [&](Value buffer, int64_t time, bool writes) {
    auto found = numberOf.find(getRoot(buffer));
    if (found == numberOf.end())
      return;
    LiveBuffer &live = allBuffers[found->second];
    if (writes && live.first < 0)
      live.first = time;
    live.last = time;
  };
  for (auto step : entry.getOps<StepOpInterface>()) {
    int64_t time = allSteps.size();
    for (Value read : step.getReads())
      touch(read, time, false);
    for (Value write : step.getWrites())
      touch(write, time, true);
    allSteps.push_back(step);
  }
  for (auto output : entry.getOps<OutputOp>())
    touch(output.getValue(), allSteps.size(), false);

  SmallVector<int64_t> change(allSteps.size() + 2, 0);
  for (const LiveBuffer &live : allBuffers)
    if (live.first >= 0) {
      change[live.first] += live.bytes;
      change[live.last + 1] -= live.bytes;
    }
  int64_t bytes = 0;
  for (auto [time, delta] : llvm::enumerate(change)) {
    bytes += delta;
    if (bytes > peakBytes) {
      peakBytes = bytes;
      peak = time;
    }
  }
}

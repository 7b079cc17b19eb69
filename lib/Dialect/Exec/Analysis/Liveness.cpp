#include "mpc/Dialect/Exec/Analysis/Liveness.h"

using namespace mpc;
using namespace mpc::exec;

Liveness::Liveness(EntryOp entry) {
  DenseMap<Value, size_t> numberOf;
  for (auto alloc : entry.getOps<AllocOp>()) {
    numberOf[alloc] = allBuffers.size();
    allBuffers.push_back(
        {{alignUp(getBytes(alloc.getBuffer().getType())), -1, -1}, alloc});
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

  peak = Peak::of(SmallVector<Lifetime>(allBuffers.begin(), allBuffers.end()));
}

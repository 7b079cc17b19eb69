#include "StepDependencies.h"

using namespace mpc;
using namespace mpc::exec;

StepLists exec::findFollowers(ArrayRef<StepOpInterface> steps) {
  struct Access {
    std::optional<unsigned> writer;
    SmallVector<unsigned, 2> readers;
  };
  DenseMap<Value, Access> last;
  StepLists followers(steps.size());
  auto order = [&](unsigned before, unsigned after) {
    if (before != after)
      followers[before].push_back(after);
  };
  for (unsigned i = 0; i < steps.size(); ++i) {
    StepOpInterface step = steps[i];
    for (Value read : step.getReads()) {
      Access &access = last[getRoot(read)];
      if (access.writer)
        order(*access.writer, i);
      access.readers.push_back(i);
    }
    for (Value write : step.getWrites()) {
      Access &access = last[getRoot(write)];
      for (unsigned reader : access.readers)
        order(reader, i);
      if (access.writer)
        order(*access.writer, i);
      access = {i, {}};
    }
  }
  return followers;
}

void exec::layOutSteps(ArrayRef<StepOpInterface> steps,
                       ArrayRef<unsigned> order) {
  Operation *behind = steps.back()->getNextNode();
  Block *block = steps.back()->getBlock();
  for (unsigned step : order)
    steps[step]->moveBefore(block,
                            behind ? behind->getIterator() : block->end());
}

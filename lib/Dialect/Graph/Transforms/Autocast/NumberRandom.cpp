// Purpose: tell apart what ops draw, before autodiff, whose backward draws it
// again, and before anything that merges equal ops.
//
// Algorithm: ops without a stream get the numbers that are free, in order, over
// all functions of the module. Two calls of one custom op have been put in
// place before: numbers that its implementation brought along are given anew
// where they repeat.
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::graph {
#define GEN_PASS_DEF_NUMBERRANDOM
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;

namespace {
struct NumberRandom final : impl::NumberRandomBase<NumberRandom> {
  using Base::Base;

  void runOnOperation() override {
    llvm::DenseSet<uint64_t> taken;
    SmallVector<RandomOpInterface> unnumbered;
    getOperation().walk([&](RandomOpInterface op) {
      if (!op.draws() || op.drawsAgain())
        return;
      std::optional<uint32_t> stream = op.getStream();
      if (!stream || !taken.insert(*stream).second)
        unnumbered.push_back(op);
    });
    uint32_t next = 0;
    for (RandomOpInterface op : unnumbered) {
      while (!taken.insert(next).second)
        ++next;
      op.setStream(next);
    }
    if (unnumbered.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace

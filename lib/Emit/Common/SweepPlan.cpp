#include "SweepPlan.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

using namespace mpc;
using namespace mpc::emit;

/// How many sweeps over its reduced dims a kernel makes: one for each fold that
/// waits for others, and one for what is stored after the last.
static unsigned countSweeps(mlir::ValueRange yields,
                            const graph::KernelShape &shape) {
  unsigned last = 0;
  for (const auto &[value, depth] : shape.depths)
    last = std::max(last, depth);
  for (auto [number, value] : llvm::enumerate(yields))
    if (shape.isSweptResult(number))
      last = std::max(last, shape.depths.lookup(value) + 1);
  return last;
}

SweepPlan::SweepPlan(Block &body, const graph::KernelShape &shape) {
  mlir::ValueRange yields = body.getTerminator()->getOperands();
  sweeps.resize(countSweeps(yields, shape) + 1);
  for (Operation &op : body)
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      if (llvm::is_contained(graph::getOpIndexing(&op).reduced, true))
        sweeps[shape.depths.lookup(op.getResult(0))].reductions.push_back(
            reduction);
  for (auto [number, value] : llvm::enumerate(yields)) {
    bool isSwept = shape.isSweptResult(number);
    unsigned sweep = isSwept ? shape.depths.lookup(value) + 1 : 0;
    auto &own = sweeps[sweep];
    (shape.isPartial(number) ? own.partials : own.results).push_back(number);
  }
}

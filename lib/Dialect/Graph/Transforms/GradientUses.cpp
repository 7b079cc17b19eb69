#include "GradientUses.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<mlir::OpOperand *> graph::gradientUses(mlir::func::FuncOp func) {
  SmallVector<mlir::OpOperand *> uses;
  for (auto unscale : func.getOps<UnscaleOp>())
    for (mlir::OpOperand &gradient : unscale.getGradientsMutable())
      uses.push_back(&gradient);
  if (!uses.empty())
    return uses;
  Operation *end = func.getBody().front().getTerminator();
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    uses.push_back(&end->getOpOperand(gradient.index));
  return uses;
}

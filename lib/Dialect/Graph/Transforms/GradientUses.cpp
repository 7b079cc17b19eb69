#include "GradientUses.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
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

SmallVector<mlir::OpOperand *> graph::addedGradients(mlir::func::FuncOp func) {
  SmallVector<mlir::OpOperand *> added;
  for (const Marked &state : markedArguments(func, kStateAttr)) {
    if (getRole(func, state.index) != Role::Accumulator ||
        !getState(func, state.index).getOf())
      continue;
    for (mlir::OpOperand &sum : state.value.getUses())
      if (isa<AddOp>(sum.getOwner()))
        added.push_back(
            &sum.getOwner()->getOpOperand(1 - sum.getOperandNumber()));
  }
  return added;
}

bool graph::reducesEachMicroBatch(TrainingAttr training) {
  StepParts parts = training.getStep();
  return parts.accumulate > 1 && parts.reduceEach == ReduceEach::MicroBatch;
}

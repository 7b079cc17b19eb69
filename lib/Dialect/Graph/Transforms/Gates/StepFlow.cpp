#include "StepFlow.h"

using namespace mpc;
using namespace mpc::graph;

StepFlow::StepFlow(mlir::func::FuncOp func) {
  for (Operation &op : func.getBody().front())
    visit(op);
}

void StepFlow::visit(Operation &op) {
  Operation *scale = nullptr, *unscale = nullptr, *reduce = nullptr;
  bool check = false;
  for (Value operand : op.getOperands()) {
    scale = scale ? scale : scaled.lookup(operand);
    unscale = unscale ? unscale : unscaled.lookup(operand);
    reduce = reduce ? reduce : reduced.lookup(operand);
    check |= checked.contains(operand);
  }
  if (auto scaleOp = dyn_cast<ScaleOp>(op)) {
    scales.push_back(scaleOp);
    scale = &op;
  } else if (auto unscaleOp = dyn_cast<UnscaleOp>(op)) {
    unscales.push_back(unscaleOp);
    scale = nullptr;
    unscale = &op;
    checked.insert(unscaleOp.getFoundInf());
  } else if (auto reduceOp = dyn_cast<AllReduceOp>(op)) {
    reductions.push_back(reduceOp);
    reduce = &op;
  }
  for (Value result : op.getResults()) {
    if (scale)
      scaled[result] = scale;
    if (unscale)
      unscaled[result] = unscale;
    if (reduce)
      reduced[result] = reduce;
    if (check)
      checked.insert(result);
  }
}

Location graph::locationOf(Value value, mlir::func::FuncOp func) {
  return value.getDefiningOp() ? value.getDefiningOp()->getLoc()
                               : func.getLoc();
}
